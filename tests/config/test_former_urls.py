"""Former addresses of pages lead to the pages that took their place."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import resolve

MOVED = {
    "/selection/compare/?tool=a&tool=b": "/tools/a..b/",
    "/upload/": "/add/",
    "/changes/?state=rejected": "/review/?state=rejected",
    "/changes/7/": "/review/7/",
    "/sources/weather/changes/7/": "/review/7/",
    "/tags/": "/tools/",
    "/toolkits/?order=name": "/tools/?order=name",
    "/toolkits/field notes/": "/tools/?toolkit=field%20notes",
    "/toolkits/mail/?page=2": "/tools/?toolkit=mail&page=2",
    "/toolkits/mail/access/": "/toolkits/mail/settings/",
    "/toolkits/mail/export/?format=openai": "/toolkits/mail/settings/?format=mcp&format=openai",
    "/tools/convert_units/examples/?run=1": "/tools/convert_units/tests/?run=1",
    "/tools/convert_units/revisions/": "/tools/convert_units/changes/",
    "/tools/convert_units/revisions/1..2/": "/tools/convert_units/changes/1..2/",
    "/tools/convert_units/spec/": "/tools/convert_units/formats/spec/",
    "/tools/convert_units/compatibility/": "/tools/convert_units/formats/",
    "/tools/convert_units/exports/openai/": "/tools/convert_units/formats/openai/",
    "/tools/convert_units/code/python/": "/tools/convert_units/formats/python/",
    "/tools/convert_units/changes/compare/?from=1&to=2": (
        "/tools/convert_units/changes/?from=1&to=2"
    ),
    "/tools/convert_units/changes/1/restore/difference/": (
        "/tools/convert_units/changes/1/restore/"
    ),
    "/tools/convert_units/similar/encode_text/": "/tools/convert_units..encode_text/",
    "/tools/convert_units/organise/": "/tools/convert_units/settings/",
    "/help/connections/": "/help/sources/",
    "/help/verdicts/": "/help/try/",
    "/help/organise/": "/help/rights/",
    "/help/semantic-diff/": "/help/review/",
    "/help/logs/": "/help/operations/",
    "/help/figures/": "/help/",
    "/help/architecture/": "/help/",
    "/tools/convert_units/access/": "/tools/convert_units/settings/",
}


@pytest.mark.parametrize(("former", "url"), MOVED.items())
def test_a_former_address_leads_to_its_page(former, url):
    response = Client().get(former)

    assert (response.status_code, response["Location"]) == (301, url)
    assert resolve(url.partition("?")[0]).route


@pytest.mark.django_db
def test_nothing_is_posted_to_a_former_address():
    assert Client().post("/changes/7/", {"decision": "approve"}).status_code == 405
