"""The visibility of held changes of tools that are not in the catalog yet: the settings of their toolkit say so."""

import pytest

from catalog.access.models import Toolkit
from catalog.proposals.models import Proposal
from catalog.sources.sync import sync
from tests.catalog.sources.documents import FORECAST, add_document, document
from tests.conftest import Program
from tests.factories import make_token, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def change():
    """A new tool that waits for approval, in a toolkit whose name is written in another way than in the tool's id."""
    sync(add_document(document(FORECAST), name="secret-kit", policy="review"))
    return Proposal.objects.get()


@pytest.fixture
def toolkit():
    return Toolkit.objects.create(
        key="secretkit", name="Secret Kit", visibility="groups", owner=make_user("olivia")
    )


def paths_of(change):
    return "/changes", f"/sources/secret-kit/changes/{change.pk}"


def test_a_restricted_toolkit_hides_the_changes_of_its_new_tools(toolkit, change):
    outsider = Program(make_token(user=make_user("bob")))
    everything, one = paths_of(change)

    assert change.tool_id == "secret-kit.forecast"
    assert outsider.ask(everything).json()["items"] == []
    assert outsider.ask(one).status_code == 404


def test_its_owner_sees_them(toolkit, change):
    owner = Program(make_token(user=toolkit.owner))
    everything, one = paths_of(change)

    assert [each["id"] for each in owner.ask(everything).json()["items"]] == [change.pk]
    assert owner.ask(one).status_code == 200


def test_an_open_toolkit_hides_nothing(toolkit, change):
    Toolkit.objects.update(visibility="everyone")

    assert Proposal.objects.visible_to(make_user("bob")).get() == change
