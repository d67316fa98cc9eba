"""Questions that are put together once: asked again with other values, they answer as a queryset would."""

import pytest
from django.contrib.auth.models import Group
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import ApiToken, User
from accounts.tokens import create_token
from catalog.tools.models import Tool
from tests.factories import make_tool, make_user
from toolshelf_core.db.compiled_query import Prepared, PreparedRows, PreparedValues

pytestmark = pytest.mark.django_db


@pytest.fixture
def tokens():
    ada = User.objects.create(username="ada", email="ada@example.org")
    return [
        create_token(ada, scopes=["read", "run"], days=3)[0],
        create_token(ada, scopes=["read"])[0],
    ]


def test_it_finds_the_same_as_a_queryset_with_all_fields_and_relations(tokens):
    asked = Prepared(lambda digest: ApiToken.objects.select_related("user").filter(digest=digest))

    for token in tokens:
        token.refresh_from_db()
        found = asked.find(token.digest)

        assert found == token
        assert all(
            getattr(found, name.attname) == getattr(token, name.attname)
            for name in ApiToken._meta.fields
        )
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert found.user.email == "ada@example.org"
        assert not queries.captured_queries


def test_a_found_object_can_be_changed_and_saved(tokens):
    found = Prepared(lambda digest: ApiToken.objects.filter(digest=digest)).find(tokens[0].digest)

    found.name = "laptop"
    found.save()

    assert ApiToken.objects.get(pk=tokens[0].pk).name == "laptop"


def test_rows_are_the_objects_that_django_makes():
    make_tool("b", configuration={"type": "object"}, examples=[{"description": "One."}])
    make_tool("c")
    tool = make_tool("a", deprecated=True)
    Tool.objects.filter(pk=tool.pk).update(
        owner=make_user(), superseded_by=Tool.objects.get(tool_id="b"), score=70
    )
    rows = PreparedRows(lambda pks: Tool.objects.for_rows().filter(pk__in=pks))

    for made in Tool.objects.for_rows():
        found = rows.find([made.pk])[made.pk]
        assert (expected := made.__dict__.copy()).pop("_state") is not None
        assert {name: found.__dict__[name] for name in expected} == expected
        assert (found.owner, found.superseded_by, found.current) == (
            made.owner,
            made.superseded_by,
            made.current,
        )
        assert found.deprecated_at == made.deprecated_at
        found.save()
        assert Tool.objects.get(pk=made.pk).updated_at == made.updated_at


def test_rows_that_are_not_there_are_left_out(django_assert_num_queries):
    tool = make_tool("a")
    rows = PreparedRows(lambda pks: Tool.objects.for_rows().filter(pk__in=pks))

    with django_assert_num_queries(1):
        found = rows.find([tool.pk, 10**9])
        assert [one.current.number for one in found.values()] == [1]
    with django_assert_num_queries(0):
        assert rows.find([]) == {}


def test_values_are_those_of_a_queryset_for_each_key():
    ada, bob = make_user("ada"), make_user("bob")
    readers, team = Group.objects.create(name="readers"), Group.objects.create(name="team")
    ada.groups.set([readers, team])
    bob.groups.set([team])
    groups_of = PreparedValues(
        lambda person: Group.objects.filter(user=person).values_list("pk", "name")
    )

    assert sorted(groups_of.find(ada.pk)) == [(readers.pk, "readers"), (team.pk, "team")]
    assert groups_of.find(bob.pk) == [(team.pk, "team")]
    assert groups_of.find(bob.pk + 1) == []
