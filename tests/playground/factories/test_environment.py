"""Environment variables of single factories: only they see them, and nothing shows their values."""

import io
import json
import textwrap
from dataclasses import replace

import pytest
from django.core.management import call_command
from django.test import Client

from playground.examples.checks import begin_check, wait_for
from playground.examples.results import results_of
from playground.factories.factory_settings import FactorySettings
from playground.factories.registry import FactoryRegistry, registry
from playground.runs import running
from playground.runs.models import Run
from playground.runs.supervisor import close_supervisor
from tests.factories import make_token, make_tool, make_user
from tests.playground.runners import TOOLS, MarkedRunner, make_job

KEY = "sk-7f3a9c/e1+"
TOOL = "tests.playground.tools.environment_tool"


@pytest.fixture(scope="module")
def runner():
    runner = MarkedRunner()
    yield runner
    runner.close()


def call(runner, code, environment, **changes):
    job = make_job("attack_tool:Factory", {"code": textwrap.dedent(code).strip()}, **changes)
    return runner.submit(replace(job, environment=environment)).wait(30)


# In the processes


def test_a_factory_sees_its_variables_while_it_is_imported_and_called(runner):
    end = runner.submit(
        replace(make_job("environment_tool:Factory"), environment={"API_KEY": KEY})
    ).wait(30)

    assert end.response["plain"] == f"Bearer {KEY}"
    assert end.response["at_import"] == KEY


@pytest.mark.parametrize("forks_safely", [True, False])
def test_a_factory_that_starts_threads_sees_its_variables_too(runner, forks_safely):
    job = make_job("starts_threads:Factory", {}, forks_safely=forks_safely)
    end = runner.submit(replace(job, environment={"API_KEY": KEY})).wait(30)

    assert end.outcome == "returned", end.error


def test_a_program_that_a_tool_starts_inherits_them(runner):
    end = call(
        runner,
        "import subprocess\nreturn subprocess.check_output(['env'], text=True)",
        {"API_KEY": KEY},
    )

    assert f"API_KEY={KEY}\n" in end.response


def test_another_factory_finds_no_trace_of_them_in_its_memory(runner):
    """All processes are forked from one: what that one has read, every tool could read."""
    runner.submit(
        replace(make_job("environment_tool:Factory"), environment={"API_KEY": "k3y-0f-s0me0ne"})
    ).wait(30)
    code = """
        import os
        found, needle = 0, bytes(byte - 1 for byte in b"l4z.1g.t1nf1of")
        with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
            for line in maps:
                if " rw" not in line: continue
                start, end = (int(number, 16) for number in line.split()[0].split("-"))
                memory.seek(start)
                try: found += memory.read(end - start).count(needle)
                except OSError: pass
        return [found, sorted(os.listdir("/proc/self/fd")), "API_KEY" in os.environ]
    """

    own = call(runner, code, {"API_KEY": "k3y-0f-s0me0ne"}, version="with the key")
    other = call(runner, code, {}, version="without it")

    assert own.response[0] >= 2, "the search does not find what is there"
    assert other.response[0] <= 1  # what is being looked for is there itself
    assert other.response[2] is False
    assert len(other.response[1]) <= 5


# In the registry


def make_registry(*paths, **settings):
    source = {"GREET_KEY": KEY, "REGION": "eu-west-1", "PATH": "/usr/bin:/bin"}
    return FactoryRegistry(
        paths, search_path=[str(TOOLS)], factory_settings=FactorySettings(source, **settings)
    )


def test_a_factory_has_the_variables_of_its_tool(runner):
    found = make_registry(
        "environment_tool:Factory",
        "environment_tool:OtherFactory",
        variables_by_id={"ENVIRONMENT_TOOL": {"API_KEY": "GREET_KEY"}},
    )

    mine, other = found.for_tool("environment tool").options, found.for_tool("another tool").options

    assert (mine.environment, mine.secrets) == ({"API_KEY": KEY}, (KEY,))
    assert (other.environment, other.secrets) == ({}, ())
    assert found.unclaimed_settings() == []


def test_a_factory_is_imported_with_the_variables_of_its_path():
    by_id = {"ENVIRONMENT_AT_IMPORT_FACTORY": {"API_KEY": "GREET_KEY"}}
    (info,) = make_registry("environment_at_import:Factory", variables_by_id=by_id).all()

    assert info.error.splitlines()[0] == "ValueError: the key [secret] has expired"
    assert KEY not in info.error


def test_a_setting_that_fits_two_tools_breaks_both_factories():
    found = make_registry(
        "fitting:A",
        "fitting:B",
        "attack_tool:Factory",
        variables_by_id={"ONE_TOOL": {"K": "GREET_KEY"}},
    )

    first, second, other = found.all()

    assert (first.state, second.state, other.state) == ("broken", "broken", "ok")
    assert first.error == (
        "TOOL_ENVIRONMENT_ONE_TOOL matches several factories: fitting:A, fitting:B. "
        "Name one of them by its path instead, or register it under another name."
    )


def test_a_second_factory_for_one_tool_does_not_make_its_settings_ambiguous():
    found = make_registry(
        "typed_tools:plain", "typed_tools:place", variables_by_id={"TYPED": {"K": "GREET_KEY"}}
    )

    first, second = found.all()

    assert (first.state, first.options.variables) == ("ok", ("K",))
    assert "is already served by" in second.error


def test_a_setting_for_no_tool_is_reported():
    found = make_registry("attack_tool:Factory", variables_by_id={"ATACK": {"K": "GREET_KEY"}})

    assert found.unclaimed_settings() == ["TOOL_ENVIRONMENT_ATACK"]


# On the site


@pytest.fixture
def site(transactional_db, monkeypatch, settings, tmp_path):
    """A site with the tool, which sees a variable of its own."""
    monkeypatch.setenv("SITE_KEY", KEY)
    monkeypatch.setenv("REGION", "eu-west-1")
    settings.DATA_DIR = tmp_path
    settings.TOOL_FACTORIES = [f"{TOOL}:Factory", f"{TOOL}:OtherFactory"]
    settings.TOOL_ENVIRONMENT = {"REGION": "REGION"}
    settings.TOOL_ENVIRONMENT_BY_FACTORY = {
        "ENVIRONMENT_TOOL": {"API_KEY": "SITE_KEY", "LATER": "NOT_SET"}
    }
    settings.TOOL_PUBLIC_ENVIRONMENT = ["REGION"]
    close_supervisor()
    registry.cache_clear()
    yield
    close_supervisor()
    registry.cache_clear()


@pytest.fixture
def tool(site):
    return make_tool("environment tool", returnType={"properties": {"plain": {"enum": ["none"]}}})


def api(user):
    return Client(headers={"Authorization": f"Bearer {make_token(user=user)}"})


def post_run(user, tool, **body):
    path = f"/api/v1/tools/{tool.slug}/runs"
    return api(user).post(path, json.dumps({"wait_s": 30, **body}), content_type="application/json")


def test_the_value_is_removed_from_a_run_everywhere(tool, ada, client):
    staff = make_user("grace", is_staff=True)
    client.force_login(staff)

    done = post_run(ada, tool, parameters={})
    failed = post_run(ada, tool, parameters={"raise": True})

    run = done.json()
    assert run["response"]["plain"] == "Bearer [secret]"
    assert run["response"]["at_import"] == "[secret]"
    assert run["response"]["region"] == "eu-west-1", "it is public"
    assert "API_KEY" in run["response"]["names"]
    assert "SITE_KEY" not in run["response"]["names"]
    assert run["logs"]["stdout"] == "stdout [secret]\n"
    assert run["logs"]["stderr"] == "stderr [secret]\n"
    assert failed.json()["error"].startswith("RuntimeError: cannot connect with [secret]")
    assert run["verdict"] == "violates"
    shown = {
        "a run": done.content,
        "a failed run": failed.content,
        "its page": client.get(f"/runs/{run['id']}/").content,
        "the page of the failed one": client.get(f"/runs/{failed.json()['id']}/").content,
        "the download": client.get(f"/runs/{run['id']}/run.json").content,
        "the comparison": client.get(f"/runs/{run['id']}..{failed.json()['id']}/").content,
        "the example": client.get(f"/runs/{run['id']}/example/").content,
        "the factories": client.get("/factories/").content,
        "the factories of the API": client.get("/api/v1/factories").content,
        "the database": str(list(Run.objects.values())).encode(),
    }
    assert [
        name for name, content in shown.items() if KEY.encode() in content or b"7f3a9c" in content
    ] == []


def test_a_tool_of_another_factory_does_not_see_it(site, ada):
    response = post_run(ada, make_tool("another tool"), parameters={}).json()["response"]

    assert response["plain"] == "Bearer unset"
    assert "API_KEY" not in response["names"]


def test_the_command_does_not_print_it(tool):
    out = io.StringIO()

    with pytest.raises(SystemExit):
        call_command("run_tool", "environment tool", stdout=out)

    assert "[secret]" in out.getvalue()
    assert KEY not in out.getvalue()


def test_an_expected_value_with_the_secret_equals_the_response_without_it(site, ada):
    expected = {"plain": f"Bearer {KEY}", "region": "eu-west-1"}
    tool = make_tool("environment tool", examples=[{"parameters": {}, "returnValue": expected}])
    ignored = ["/base64", "/at_import", "/names"]
    check = wait_for(begin_check(tool, tool.current, by=ada, exactly=True, ignored=ignored), 60)

    (result,) = results_of(check)

    assert result.run.outcome == "returned"
    assert result.differences == ()


def test_a_running_tools_output_is_stored_without_it(tool, ada):
    run = running.start(tool, tool.current, {}, by=ada)

    ended = running.wait(run, 30)

    assert ended.progress_message == "with [secret]"


def test_staff_see_which_variables_a_tool_sees_and_which_are_not_set(tool, client):
    def factories_page():
        return client.get("/factories/").content.decode().replace("<wbr>", "")

    assert "API_KEY</code>" not in factories_page()
    client.force_login(make_user("grace", is_staff=True))

    page = factories_page()

    assert '<code class="id">API_KEY</code>' in page
    assert '<code class="id">LATER</code> <span class="chip chip-warn">not set</span>' in page


def test_staff_see_settings_that_fit_no_factory(site, settings, client):
    settings.TOOL_NETWORK_BY_FACTORY = {"TYPO": "none"}
    assert b"TOOL_NETWORK_TYPO" not in client.get("/factories/").content
    client.force_login(make_user("grace", is_staff=True))

    assert b"TOOL_NETWORK_TYPO" in client.get("/factories/").content


def test_pages_say_how_long_a_secret_must_be_to_be_removed(site, client):
    tool = make_tool(
        "environment tool", configuration={"properties": {"apiKey": {"type": "string"}}}
    )

    for path in ("/factories/", f"/tools/{tool.slug}/try/"):
        assert (
            "at least 4 characters are masked in responses and logs"
            in client.get(path).content.decode()
        )
