"""A check of a tool's examples: everyone sees the results; its owner and staff also see the runs and differences."""

from __future__ import annotations

import pytest
from django.test import Client
from selectolax.lexbor import LexborHTMLParser

from playground.examples.models import ExampleCheck
from tests.factories import make_user
from tests.playground.history.test_pages import tree_of

pytestmark = pytest.mark.django_db


def page(client, **headers):
    return client.get("/tools/balance/tests/", headers=headers).content.decode()


def client_of(user):
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.parametrize("headers", [{}, {"hx-request": "true"}], ids=["page", "fragment"])
@pytest.mark.parametrize("who", ["a visitor", "another person"])
def test_others_see_that_an_example_fails_and_nothing_of_the_response_or_its_run(
    failed_check, who, headers
):
    client = Client() if who == "a visitor" else client_of(make_user("bob"))

    shown = page(client, **headers)

    assert "badge-bad" in shown
    assert "The response differs." in shown
    assert "Only the person who started the check and administrators see the runs" in shown
    for private in ("/iban", "shoe_size", "mother_name", failed_check.runs.get().pk):
        assert private not in shown


@pytest.mark.parametrize("who", ["ada", "staff"])
def test_the_person_who_ran_the_check_and_staff_see_the_differences_and_the_run(
    failed_check, ada, who
):
    shown = page(client_of(ada if who == "ada" else make_user("grace", is_staff=True)))

    for part in (
        "/iban differs",
        "/shoe_size is not in the example",
        "/mother_name",
        failed_check.runs.get().pk,
    ):
        assert part in shown


def test_a_check_by_a_command_shows_its_differences_to_staff_alone(failed_check, ada):
    ExampleCheck.objects.update(by=None)

    assert "/iban" not in page(client_of(ada))
    assert "/iban" not in page(Client())
    assert "/iban differs" in page(client_of(make_user("grace", is_staff=True)))


def test_the_choices_of_a_check_have_a_visible_label(failed_check, ada):
    form = LexborHTMLParser(page(client_of(ada))).css_first(".check-form")

    assert form.css_first("legend").text().strip() == "The response"
    assert "visually-hidden" not in form.css_first("legend").attributes["class"]
    choices = [" ".join(choice.text().split()) for choice in form.css("fieldset label")]
    assert choices == ["must equal the example", "must match the return type"]


def test_the_examples_are_listed_before_the_first_check(client, builtin):
    tool = builtin("convert_units")

    html = tree_of(client.get(f"/tools/{tool.slug}/tests/"))

    first = html.css_first("#example-1")
    assert len(html.css(".tool-example")) == len(tool.current.spec.examples)
    assert first.css_first("a.button").attributes["href"] == f"/tools/{tool.slug}/try/?example=1"
    assert "from_unit" in first.text()


def test_a_result_leads_to_its_example(failed_check):
    html = LexborHTMLParser(page(Client()))

    assert html.css_first("#examples tbody a").attributes["href"] == "#example-1"
    assert html.css_first("#example-1") is not None
