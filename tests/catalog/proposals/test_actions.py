"""The query for the changes that a person may decide about agrees with the rule for one."""

from __future__ import annotations

import pytest

from accounts.roles import set_role
from catalog.access.models import Toolkit
from catalog.access.rights import may
from catalog.proposals.actions import changes_to_review, publish_or_hold
from catalog.proposals.models import Proposal
from catalog.sources.models import Source
from catalog.tools.models import Tool
from catalog.tools.publishing import publish
from tests.factories import make_spec, make_tool, make_user
from toolspec.catalog_names import group_key

pytestmark = pytest.mark.django_db


@pytest.fixture
def people():
    names = ("owner", "maintainer", "source-owner", "toolkit-owner", "publisher", "reader")
    people = {name: make_user(name) for name in names}
    for name in ("owner", "publisher"):
        set_role(people[name], "publisher")
    set_role(people["reader"], "reader")
    people["administrator"] = make_user("administrator", is_superuser=True, is_staff=True)
    return people


@pytest.fixture
def changes(people):
    """Changes by a person and by a source, of tools with and without an owner, and of new tools."""
    source = Source.objects.create(name="origin", kind="openapi", owner=people["source-owner"])
    Toolkit.objects.create(key=group_key("kit"), name="kit", owner=people["toolkit-owner"])
    owned = publish(make_spec("owned"), by=people["owner"]).tool
    owned.maintainers.add(people["maintainer"])
    make_tool("unowned")
    wanted = [("owned", None), ("unowned", None), ("kit.new", None)]
    wanted += [(name, source) for name in ("owned", "unowned", "kit.new", "origin.new")]
    for name, of_source in wanted:
        Proposal.objects.create(
            tool_id=name,
            toolkit_key=group_key(name.partition(".")[0] if "." in name else ""),
            source=of_source,
            proposed_by=None if of_source else people["publisher"],
            text=make_spec(name).source,
            base=tool.current if (tool := Tool.objects.filter(tool_id=name).first()) else None,
        )
    return Proposal.objects.all()


def test_the_changes_to_review_are_those_that_each_person_may_decide_about(people, changes):
    for name, person in people.items():
        listed = {(one.tool_id, one.source_id) for one in changes_to_review(person)}
        decidable = {(one.tool_id, one.source_id) for one in changes if may(person, "approve", one)}

        assert listed == decidable, name

    assert len(changes_to_review(people["administrator"])) == len(changes)
    assert changes_to_review(people["reader"]) == []


def test_many_changes_that_a_person_may_only_see_hide_none_of_their_own(people):
    source = Source.objects.create(name="origin", kind="openapi")
    publish(make_spec("owned"), by=people["owner"])
    publish_or_hold(make_spec("owned", description="New."), by=people["publisher"])
    for number in range(30):
        Proposal.objects.create(
            tool_id=f"origin.t{number}", source=source, text=make_spec(f"origin.t{number}").source
        )

    assert [one.tool_id for one in changes_to_review(people["owner"])] == ["owned"]
