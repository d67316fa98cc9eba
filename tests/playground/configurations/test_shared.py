"""Configurations that are shared with everyone who may run the tool: usable, and readable by nobody but their owner."""

import io
import json

import pytest
from django.contrib.auth.models import Group
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.models import SCOPES
from accounts.tokens import create_token
from catalog.tools.publishing import publish
from playground.configurations.mcp_choice import (
    ChosenConfigurationGone,
    choose_configuration,
    find_configuration_for_call,
)
from playground.configurations.models import SavedConfiguration
from playground.configurations.saved import (
    find_configuration,
    list_usable_choices,
    open_configuration,
    save_configuration,
    share,
)
from playground.configurations.secret_members import Configuration, redactor_of
from playground.factories.registry import FactoryRegistry
from playground.runner.engine import LocalRunner
from playground.runs import supervisor
from playground.runs.models import Run
from playground.runs.refusals import SHARED_UNUSABLE, without_contents
from playground.runs.supervisor import close_supervisor
from tests.factories import make_token, make_tool, make_user
from tests.playground.form.driver import Page
from tests.playground.history.test_pages import tree_of
from tests.playground.runners import TOOLS
from toolshelf_core.audit import AuditEvent
from toolshelf_core.errors import NotAllowed
from toolspec.errors import Problem
from toolspec.spec import read_spec

SECRET, ENDPOINT = "mrk-7f3a9ce1", "https://internal.example/v2"
VALUE = {"apiKey": SECRET, "endpoint": ENDPOINT}
SCHEMA = {
    "type": "object",
    "properties": {"apiKey": {"type": "string"}, "endpoint": {"type": "string"}},
    "required": ["apiKey"],
}


@pytest.fixture(scope="module")
def runner():
    runner = LocalRunner(slots=2, search_path=[str(TOOLS)])
    yield runner
    runner.close()


@pytest.fixture
def tool(transactional_db, monkeypatch, runner):
    """A tool that returns, prints and raises its secret, with its factory installed."""
    registry = FactoryRegistry(["leaking_tool:Factory"], search_path=[str(TOOLS)])
    monkeypatch.setattr("playground.factories.connections.registry", lambda: registry)
    monkeypatch.setattr(runner, "close", lambda: None)
    monkeypatch.setattr(supervisor, "make_runner", lambda slots: runner)
    yield make_tool("leaking_tool", configuration=SCHEMA)
    close_supervisor()


@pytest.fixture
def saved(tool, ada):
    """Ada's configuration, which she shares."""
    found = save_configuration(ada, tool, "work", Configuration(VALUE), None)
    share(found, "everyone", by=ada)
    return found


@pytest.fixture
def bob(db):
    return make_user("bob")


@pytest.fixture
def grace(db):
    return make_user("grace", is_staff=True)


class Api(Client):
    def __init__(self, user):
        super().__init__(headers={"Authorization": f"Bearer {make_token(user=user)}"})

    def send(self, path, body, method="POST"):
        return self.generic(
            method, f"/api/v1{path}", json.dumps(body), content_type="application/json"
        )


def page_of(user):
    client = Client()
    client.force_login(user)
    return client


def press(client, button, **typed):
    """Press a button of the form to try the tool, which is sent as its controls are."""
    address = "/tools/leaking_tool/try/"
    query = {"configuration": typed["saved"]} if "saved" in typed else {}
    form = Page(tree_of(client.get(address, query)).css_first("form#trial").html)
    pairs = form.submit(typed={name: [text] for name, text in typed.items()})
    data = {}
    for key, text in [
        *((key, text) for key, text in pairs if key not in {"run", "use", "op"}),
        button,
    ]:
        data.setdefault(key, []).append(text)
    return client.post(address, data, follow=True)


def text_of(answer):
    return " ".join(tree_of(answer).css_first("main").text(separator=" ").split())


# -- used by others ---------------------------------------------------------------------------------------------------


def test_sharing_is_in_the_audit_log(tool, ada):
    saved = save_configuration(ada, tool, "production", Configuration(VALUE), None)

    share(saved, "everyone", by=ada)
    share(saved, "everyone", by=ada)

    [event] = AuditEvent.objects.filter(action="configuration.share")
    assert (event.person, event.as_json()["after"]["visibility"]) == ("ada", "everyone")


def test_its_users_never_see_its_contents_wherever_the_tool_shows_them(saved, bob):
    api, client = Api(bob), page_of(bob)
    body = {"saved_configuration": "ada/work", "wait_s": 20}

    returned = api.send("/tools/leaking_tool/runs", body)
    raised = api.send("/tools/leaking_tool/runs", {**body, "parameters": {"raise": True}})
    again = api.send(f"/runs/{returned.json()['id']}/again", {"wait_s": 20})
    pressed = press(client, ("run", "1"), saved="ada/work")
    run = returned.json()["id"]
    answers = {
        "returned": returned,
        "raised": raised,
        "again": again,
        "list of configurations": api.get("/api/v1/tools/leaking_tool/configurations"),
        "runs": api.get("/api/v1/runs"),
        "page": client.get("/tools/leaking_tool/try/?configuration=ada/work"),
        "download": client.get(f"/runs/{run}/run.json"),
        "prefilled from the run": client.get(f"/tools/leaking_tool/try/?run={run}"),
        "pressed": pressed,
        "examples": client.get("/tools/leaking_tool/tests/"),
        "connect": client.get("/connect/tools/leaking_tool/"),
    }

    assert [answers[name].json()["outcome"] for name in ("returned", "raised", "again")] == [
        "returned",
        "raised",
        "returned",
    ]
    assert returned.json()["response"]["plain"] == "[secret]"
    assert returned.json()["configuration"]["saved_configuration"] == "ada/work"
    assert [name for name, answer in answers.items() if SECRET.encode() in answer.content] == []
    shown_by_toolshelf = set(answers) - {
        "returned",
        "raised",
        "again",
        "download",
        "pressed",
    }
    shown_by_toolshelf -= {
        "prefilled from the run"
    }  # it shows the result of the run beside the form
    assert [name for name in shown_by_toolshelf if ENDPOINT.encode() in answers[name].content] == []
    assert SECRET not in str(list(Run.objects.values()))
    assert "work (shared by ada)" in text_of(answers["prefilled from the run"])


def test_the_page_says_whose_it_is_and_draws_no_form_for_it(saved, bob):
    page = page_of(bob).get("/tools/leaking_tool/try/?configuration=ada/work")

    assert "“work”, shared by ada, is used for this run" in text_of(page)
    assert b"configuration:" not in page.content
    assert "Share with everyone" not in text_of(page)
    assert "Stop sharing" not in text_of(page)
    assert b'value="forget"' not in page.content


def test_a_later_schema_that_marks_nothing_as_secret_reveals_nothing(saved, bob, tool):
    unmarked = {"name": "leaking_tool", "description": "d"}
    publish(
        read_spec(json.dumps({"definition": unmarked, "configuration": {"type": "object"}})), by=bob
    )
    renamed = Configuration({"code": SECRET}, frozenset({"/code"}), "shared 1")

    answer = Api(bob).send(
        "/tools/leaking_tool/runs", {"saved_configuration": "ada/work", "wait_s": 20}
    )

    assert SECRET.encode() not in answer.content
    assert redactor_of(renamed.secrets(None)).text(f"x {SECRET}") == "x [secret]"


def test_a_schema_cannot_be_used_to_guess_it(saved, bob, tool):
    guess = {"type": "object", "properties": {"apiKey": {"pattern": "^nothing"}}}
    publish(
        read_spec(
            json.dumps(
                {"definition": {"name": "leaking_tool", "description": "d"}, "configuration": guess}
            )
        ),
        by=bob,
    )

    for mode in ("live", "mock"):
        run = Api(bob).send(
            "/tools/leaking_tool/runs",
            {"saved_configuration": "ada/work", "mode": mode, "wait_s": 20},
        )
        assert not any(
            problem["pointer"].startswith("/configuration") for problem in run.json()["problems"]
        )


def test_a_fingerprint_does_not_confirm_a_guess(saved, bob):
    own, shared = Configuration(VALUE), open_configuration(saved, bob)

    assert shared.value == own.value
    assert shared.fingerprint(b"key") != own.fingerprint(b"key")
    assert open_configuration(saved, saved.owner).fingerprint(b"key") == own.fingerprint(b"key")


def test_one_whose_secrets_cannot_be_removed_is_refused_without_details(tool, ada, bob):
    many = save_configuration(ada, tool, "many", Configuration({"apiKey": "first-secret"}), None)
    share(many, "everyone", by=ada)
    problems = [
        Problem(
            "/configuration/tokens/200",
            "There are more than 200 secret values.",
            "secrets.too-many",
        )
    ]

    (problem,) = without_contents(problems, open_configuration(many, bob))

    assert (problem.pointer, problem.rule) == ("/configuration", "secrets.too-many")
    assert problem.message == SHARED_UNUSABLE
    assert without_contents(problems, open_configuration(many, ada)) == problems


def test_it_is_used_for_mcp_calls_until_it_is_no_longer_shared(saved, ada, bob, tool):
    choose_configuration(bob, tool, "ada/work")
    assert find_configuration_for_call(bob, tool) == saved

    share(saved, "private", by=ada)

    with pytest.raises(ChosenConfigurationGone, match="no longer shared"):
        find_configuration_for_call(bob, tool)
    assert "ada/work (not available)" in text_of(page_of(bob).get("/connect/tools/leaking_tool/"))


def test_the_connect_page_offers_it(saved, bob):
    client = page_of(bob)
    assert "work (shared by ada)" in text_of(client.get("/connect/tools/leaking_tool/"))

    client.post("/connect/tools/leaking_tool/configuration/", {"saved_configuration": "ada/work"})

    page = tree_of(client.get("/connect/tools/leaking_tool/"))
    assert page.css_first("#saved_configuration option[selected]").attributes["value"] == "ada/work"


def run_tool(*words):
    out = io.StringIO()
    try:
        call_command("run_tool", "leaking_tool", *words, stdout=out)
    except CommandError as error:
        return error.returncode, str(error)
    except SystemExit as error:
        return error.code, out.getvalue()
    return 0, out.getvalue()


def test_the_command_uses_own_and_shared_ones(saved, bob):
    shared = run_tool("--saved-configuration", "ada/work")[1]
    own = run_tool("--saved-configuration", "work", "--user", "ada")[1]

    assert [json.loads(text)["outcome"] for text in (shared, own)] == ["returned", "returned"]
    assert SECRET not in shared + own


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--saved-configuration", "work"], "Without --user, only shared ones can be used"),
        (
            ["--saved-configuration", "work", "--user", "bob"],
            "bob has no saved configuration 'work'",
        ),
        (["--saved-configuration", "ada/other"], "no saved configuration 'ada/other'"),
        (["--saved-configuration", "ada/work", "--configuration", "{}"], "not both"),
    ],
)
def test_the_command_refuses_what_it_cannot_use(saved, bob, words, message):
    code, text = run_tool(*words)

    assert code == 2
    assert message in text
    assert not Run.objects.exists()


# -- who may use it ---------------------------------------------------------------------------------------------------


def test_a_private_one_cannot_be_used_by_others_and_is_not_listed(tool, ada, bob, grace):
    saved = save_configuration(ada, tool, "work", Configuration(VALUE), None)

    for user in (bob, grace, None):
        assert find_configuration(user, tool, "ada/work") is None
    assert list_usable_choices(bob, SavedConfiguration.objects.all()) == []
    refused = Api(bob).send("/tools/leaking_tool/runs", {"saved_configuration": "ada/work"})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["rule"] == "configuration.unknown"
    assert find_configuration(ada, tool, "work") == saved


def test_ones_own_comes_first_and_each_keeps_its_name(saved, bob, tool):
    own = save_configuration(bob, tool, "work", Configuration({"apiKey": "another-key"}), None)

    assert find_configuration(bob, tool, "work") == own
    assert find_configuration(bob, tool, "ada/work") == saved
    assert [each.label for each in list_usable_choices(bob, SavedConfiguration.objects.all())] == [
        "work",
        "work (shared by ada)",
    ]


def test_it_ends_with_the_account_of_its_owner(saved, ada, bob, tool):
    ada.is_active = False
    ada.save()
    assert find_configuration(bob, tool, "ada/work") is None

    ada.delete()
    assert not SavedConfiguration.objects.exists()


def test_a_secret_is_rotated_by_saving_again_and_stays_shared(saved, ada, bob, tool):
    save_configuration(ada, tool, "work", Configuration({"apiKey": "another-key"}), None)

    found = find_configuration(bob, tool, "ada/work")
    assert open_configuration(found, bob).value == {"apiKey": "another-key"}


def test_a_name_with_the_separator_is_refused_if_it_is_new(tool, ada):
    refused = Api(ada).send(
        "/tools/leaking_tool/configurations", {"name": "bob/work", "configuration": {}}
    )

    assert refused.status_code == 422
    assert 'without "/"' in refused.json()["detail"]


# -- who may share it -------------------------------------------------------------------------------------------------


def visibility(user, value, name="work", **more):
    body = {"visibility": value, **more}
    return Api(user).send(f"/tools/leaking_tool/configurations/{name}", body, method="PATCH")


def test_its_owner_shares_it_and_stops_sharing_it(tool, ada, bob):
    save_configuration(ada, tool, "work", Configuration(VALUE), None)

    shared = visibility(ada, "everyone")
    listed = Api(bob).get("/api/v1/tools/leaking_tool/configurations").json()
    stopped = visibility(ada, "private")

    assert shared.json() == {"name": "work", "owner": "ada", "visibility": "everyone"}
    assert listed["items"] == []
    assert [(each["reference"], each["shared_by"]) for each in listed["shared"]] == [
        ("ada/work", "ada")
    ]
    assert "configuration" not in listed["shared"][0]
    assert stopped.json()["visibility"] == "private"
    assert Api(bob).get("/api/v1/tools/leaking_tool/configurations").json()["shared"] == []


def test_staff_share_and_stop_sharing_any(tool, ada, grace):
    save_configuration(ada, tool, "work", Configuration(VALUE), None)

    assert visibility(grace, "everyone", owner="ada").status_code == 200
    assert SavedConfiguration.objects.get().is_shared
    assert visibility(grace, "private", owner="ada").status_code == 200
    assert not SavedConfiguration.objects.get().is_shared


def test_others_may_not_stop_sharing_it(saved, bob):
    assert visibility(bob, "private", owner="ada").status_code == 403
    with pytest.raises(NotAllowed):
        share(saved, "private", by=bob)
    assert SavedConfiguration.objects.get().is_shared


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"visibility": "everyone", "owner": "ada"}, 404),
        ({"visibility": "everyone"}, 404),
        ({"visibility": "friends"}, 422),
        ({}, 422),
    ],
)
def test_others_private_ones_do_not_exist_for_them(tool, ada, bob, body, status):
    save_configuration(ada, tool, "work", Configuration(VALUE), None)

    assert (
        Api(bob).send("/tools/leaking_tool/configurations/work", body, method="PATCH").status_code
        == status
    )
    assert not SavedConfiguration.objects.get().is_shared


@pytest.mark.parametrize(
    "limits",
    [{"scopes": ["run"]}, {"scopes": ["read", "run"]}, {"scopes": SCOPES, "toolkits": ["kit"]}],
)
def test_a_token_of_staff_that_may_not_administer_changes_nothing_of_others(
    tool, ada, grace, limits
):
    saved = save_configuration(ada, tool, "work", Configuration(VALUE), None)
    revision = tool.current
    run = Run.objects.create(
        tool=tool, revision=revision, by=ada, parameters_json="{}", mode="live", outcome="returned"
    )
    Group.objects.create(name="team")
    client = Client(headers={"Authorization": f"Bearer {create_token(grace, **limits)[1]}"})

    for method, path, body in (
        (
            "PATCH",
            "/tools/leaking_tool/configurations/work",
            {"visibility": "everyone", "owner": "ada"},
        ),
        ("PUT", f"/runs/{run.pk}/groups", {"groups": ["team"]}),
        ("POST", f"/runs/{run.pk}/cancel", {}),
        ("POST", "/factories/rescan", {}),
    ):
        answer = client.generic(
            method, f"/api/v1{path}", json.dumps(body), content_type="application/json"
        )
        assert answer.status_code in {403, 404}, path

    saved.refresh_from_db()
    assert not saved.is_shared
    assert not run.groups.exists()


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "", None),
        ("PATCH", "/work", {"visibility": "everyone"}),
        ("PUT", "/work/groups", {"groups": []}),
        ("DELETE", "/work", None),
    ],
)
def test_a_token_for_other_toolkits_does_nothing_with_ones_own(tool, ada, method, path, body):
    saved = save_configuration(ada, tool, "work", Configuration(VALUE), None)
    client = Client(
        headers={"Authorization": f"Bearer {create_token(ada, scopes=SCOPES, toolkits=['kit'])[1]}"}
    )

    address = f"/api/v1/tools/leaking_tool/configurations{path}"
    answer = client.generic(
        method, address, json.dumps(body) if body else "", content_type="application/json"
    )

    assert answer.status_code == 403
    saved.refresh_from_db()
    assert not saved.is_shared


def test_it_is_shared_and_withdrawn_by_buttons(tool, ada, bob, grace):
    save_configuration(ada, tool, "work", Configuration(VALUE), None)

    shared = press(page_of(ada), ("use", "share"), saved="work")
    assert SavedConfiguration.objects.get().is_shared
    assert "Shared with everyone who may run this tool." in text_of(shared)

    press(page_of(bob), ("use", "stop-sharing"), saved="ada/work")
    assert SavedConfiguration.objects.get().is_shared

    withdrawn = press(page_of(grace), ("use", "stop-sharing"), saved="ada/work")
    assert not SavedConfiguration.objects.get().is_shared
    assert "shared by ada" not in text_of(withdrawn)


def test_others_cannot_save_a_copy_of_it(saved, bob):
    form = {"use": "save", "saved": "ada/work", "save_as": "copy"}
    page = page_of(bob).post("/tools/leaking_tool/try/", form)

    assert not SavedConfiguration.objects.filter(owner=bob).exists()
    assert ENDPOINT not in page.content.decode()


def test_others_cannot_remove_it(saved, bob):
    press(page_of(bob), ("use", "forget"), saved="ada/work")
    assert Api(bob).delete("/api/v1/tools/leaking_tool/configurations/work").status_code == 404

    assert SavedConfiguration.objects.filter(pk=saved.pk).exists()
