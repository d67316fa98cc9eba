"""Deleting a person: private data goes, published work stays without the name, and both are listed before."""

from __future__ import annotations

import io
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from accounts.models import ApiToken, Session, User
from accounts.tokens import create_token, find_token
from catalog.tools.models import Revision, Tool
from catalog.tools.publishing import publish
from playground.configurations.models import SavedConfiguration
from playground.runs import retention
from playground.runs.models import Run
from tests.factories import make_spec, make_tool, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada():
    """A person with a tool, two runs, a token, a saved configuration and a session."""
    user = make_user("ada")
    tool = publish(make_spec("greet"), by=user).tool
    for _ in range(2):
        Run.objects.create(
            tool=tool, revision=tool.current, by=user, outcome="returned", parameters_json="{}"
        )
    SavedConfiguration.objects.create(owner=user, tool=tool, name="home", encrypted="x")
    Client().force_login(user)
    user.secret = create_token(user, scopes=["run"])[1]
    return user


def delete(*words):
    out = io.StringIO()
    call_command("delete_person", *words, stdout=out)
    return out.getvalue()


def test_private_data_goes_and_published_work_stays_without_the_name(ada):
    other = Run.objects.create(
        tool=Tool.objects.get(), revision=Revision.objects.get(), parameters_json="{}"
    )

    delete("ada", "--yes")

    assert not User.objects.filter(username="ada").exists()
    assert [run.pk for run in Run.objects.all()] == [other.pk]
    assert not SavedConfiguration.objects.exists()
    assert not ApiToken.objects.exists()
    assert not Session.objects.exists()
    assert find_token(ada.secret) is None
    assert Revision.objects.get().created_by is None
    assert Tool.objects.get().owner is None


def test_the_command_says_before_what_will_happen(ada, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda _: "no")
    out = io.StringIO()

    with pytest.raises(CommandError, match="Nothing was deleted"):
        call_command("delete_person", "ada", stdout=out)

    for sentence in (
        "Deleted: 2 runs.",
        "Deleted: 1 api token.",
        "Deleted: 1 saved configuration.",
        "Deleted: 1 session.",
        "Retained without the name: 1 revision.",
        "Retained without the name: 1 tool.",
    ):
        assert sentence in out.getvalue()
    assert User.objects.filter(username="ada").exists()


def test_a_program_without_input_is_refused_with_the_option_to_use(ada, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO())

    with pytest.raises(CommandError, match=r"Nothing was deleted, .* Add --yes\."):
        delete("ada")

    assert User.objects.filter(username="ada").exists()


def test_nobody_of_that_name_is_refused_with_the_names_there_are(ada):
    with pytest.raises(CommandError, match=r"no account named 'eve'. Accounts: ada\."):
        delete("eve", "--yes")


def test_the_only_administrator_is_not_deleted():
    User.objects.create_superuser("root")

    with pytest.raises(CommandError, match="only administrator"):
        delete("root", "--yes")

    assert User.objects.filter(username="root").exists()


def test_runs_past_their_retention_are_deleted(settings):
    settings.RUN_RETENTION_DAYS = 365
    tool = make_tool()
    for days in (1, 400):
        ended = timezone.now() - timedelta(days=days)
        Run.objects.create(
            tool=tool, revision=tool.current, parameters_json="{}", finished_at=ended
        )

    retention.prune()

    assert Run.objects.count() == 1
