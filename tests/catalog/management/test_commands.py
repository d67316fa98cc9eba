import contextlib
import json
import re
import shlex

import pytest
from django.core.management import (
    CommandError,
    call_command,
    execute_from_command_line,
    get_commands,
    load_command_class,
)

from catalog.index import search_index
from catalog.management.queries import tools_of_query
from catalog.tools.models import Tool
from tests.corpora import DATA, expected
from tests.factories import GET_WEATHER, make_tool, make_user, real_specs, spec_text
from tests.site import ROOT
from tests.terminal import Terminal
from toolshelf_core.commands import BaseCommand
from toolshelf_core.site_url import write_site_url


def run(capsys, *words):
    """(exit code, stdout, stderr) of a command."""
    code = 0
    try:
        call_command(*words)
    except SystemExit as ended:
        code = ended.code
    out, err = capsys.readouterr()
    return code, out, err


def run_on_a_terminal(*words):
    """(exit code, stdout, stderr) of a command whose output goes to a terminal with colours."""
    out, err, code = Terminal(), Terminal(), 0
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr("sys.argv", ["manage.py", *words])
        patch.setenv("TERM", "xterm-256color")
        try:
            execute_from_command_line(["manage.py", *words])
        except SystemExit as ended:
            code = ended.code
    return code, out.getvalue(), err.getvalue()


RED = "\x1b[31"
NO_PROBLEM = '{"definition": {"name": "get_weather", "description": "Tell the weather of a city."}}'
ADVISED = NO_PROBLEM.replace("get_weather", "Get weather")


@pytest.fixture
def file(tmp_path):
    """A file with one spec, whose name is not portable."""
    path = tmp_path / "a.json"
    path.write_text(ADVISED)
    return path


@pytest.mark.django_db
@pytest.mark.parametrize(
    "words",
    [
        ["load_specs", str(ROOT / "playground/samples")],
        ["check_specs", str(ROOT / "playground/samples")],
        ["create_token", "ada", "--create"],
    ],
    ids=lambda words: words[0],
)
def test_success_is_not_red_on_a_terminal(words):
    _, out, err = run_on_a_terminal(*words)

    assert RED not in out + err


@pytest.mark.django_db
def test_an_error_is_red_on_a_terminal():
    code, _, err = run_on_a_terminal("create_token", "nobody")

    assert code == 1
    assert err.startswith(RED)


@pytest.mark.django_db
def test_each_command_of_the_site_writes_notes_without_colour():
    own = [
        (name, app)
        for name, app in get_commands().items()
        if str(app).startswith(("catalog", "playground", "config"))
    ]

    assert own
    assert [
        name for name, app in own if not isinstance(load_command_class(app, name), BaseCommand)
    ] == []


@pytest.mark.django_db
def test_the_documented_commands_for_organising_work_with_the_samples(capsys):
    make_user("owner")
    run(
        capsys,
        "load_specs",
        "--quiet",
        str(ROOT / "playground/samples"),
        str(ROOT / "playground/builtin/specs"),
    )
    document = (ROOT / "docs/rights.md").read_text(encoding="utf-8")
    shown = re.findall(
        r"^\.venv/bin/python manage\.py (organise_tools .*)$", document, re.MULTILINE
    )

    codes = [run(capsys, *shlex.split(command))[0] for command in shown]

    assert codes == [0, 0]
    assert Tool.objects.filter(added_tags="storage", owner__username="owner").count() > 1
    assert Tool.objects.get(deprecation_chosen=True).superseded_by.tool_id == "convert_time_zone"


# -- load_specs -------------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_load_specs_prints_the_report_of_the_api_on_stdout_and_counts_on_stderr(capsys, tmp_path):
    file = tmp_path / "specs.ndjson"
    file.write_text("\n".join([*real_specs()[:3], "{}"]))

    code, out, err = run(capsys, "load_specs", str(file))

    report = json.loads(out)
    assert code == 1
    assert report["counts"] == {"created": 3, "revised": 0, "unchanged": 0, "rejected": 1}
    assert [entry["line"] for entry in report["specs"]] == [1, 2, 3, 4]
    assert report["specs"][3]["problems"][0]["line"] == 4
    assert f"{file}:4: `definition` is missing. (spec.required)" in err
    assert "4 specs in" in err
    assert Tool.objects.count() == 3


@pytest.mark.django_db
def test_load_specs_reads_folders_files_and_arrays(capsys, tmp_path):
    (tmp_path / "deep" / "deeper").mkdir(parents=True)
    (tmp_path / "deep" / "deeper" / "a.json").write_text(spec_text("a"))
    (tmp_path / "deep" / "notes.txt").write_text("not for us")
    (tmp_path / "array.json").write_text(f"[{spec_text('b')},{spec_text('c')}]")

    code, _, _ = run(
        capsys,
        "load_specs",
        str(tmp_path / "deep"),
        str(tmp_path / "array.json"),
        "--quiet",
    )

    assert code == 0
    assert set(Tool.objects.values_list("tool_id", flat=True)) == {"a", "b", "c"}


@pytest.mark.django_db
def test_loading_the_same_specs_again_changes_nothing(capsys):
    run(capsys, "load_specs", str(DATA / "specs_taubench.jsonl"))

    code, out, _ = run(capsys, "load_specs", str(DATA / "specs_taubench.jsonl"))

    assert code == 0
    assert json.loads(out)["counts"] == {"created": 0, "revised": 0, "unchanged": 30, "rejected": 0}


@pytest.mark.django_db
def test_load_specs_names_its_own_options_for_an_import_that_is_rejected(capsys, tmp_path):
    for name in ("One", "Two"):
        operation = {"operationId": "get", "summary": f"Get {name}."}
        document = {
            "openapi": "3.1.0",
            "info": {"title": name, "version": "1"},
            "paths": {"/a": {"get": operation}},
        }
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    run(capsys, "load_specs", "--quiet", "--prefix", "api", str(tmp_path / "One.json"))

    code, _, err = run(
        capsys, "load_specs", "--quiet", "--prefix", "api", str(tmp_path / "Two.json")
    )

    assert code == 1
    assert "use another prefix (`--prefix`)" in err
    assert "Replace its document (`--replace`)" in err


@pytest.mark.django_db
def test_load_specs_stores_the_publisher_and_in_a_dry_run_nothing(capsys):
    make_user("ada")

    code, out, _ = run(capsys, "load_specs", "--dry-run", str(GET_WEATHER))
    before = Tool.objects.count()
    _, quiet, err = run(capsys, "load_specs", "--quiet", "--user", "ada", str(GET_WEATHER))

    assert (code, json.loads(out)["counts"]["created"], before) == (0, 1, 0)
    assert Tool.objects.get().current.created_by.username == "ada"
    assert quiet == ""
    assert "1 created" in err


@pytest.mark.django_db
@pytest.mark.parametrize(("words", "has_report"), [([], False), (["--json"], True)])
def test_on_a_terminal_load_specs_prints_the_report_only_on_request(
    capsys, monkeypatch, tmp_path, words, has_report
):
    monkeypatch.setattr("django.core.management.base.OutputWrapper.isatty", lambda _: True)
    file = tmp_path / "specs.ndjson"
    file.write_text(f"{spec_text('a')}\n{{}}".replace("\n ", " "))

    code, out, err = run(capsys, "load_specs", *words, str(file))

    assert code == 1
    assert bool(out) == has_report
    assert "`definition` is missing." in err
    assert "specs in" in err


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("words", "message"),
    [(("nowhere.json",), "does not exist"), (("--user", "bob", "x"), "no user 'bob'")],
)
def test_load_specs_exits_with_2_for_a_missing_file_or_user(words, message):
    with pytest.raises(CommandError, match=message) as refusal:
        call_command("load_specs", *words)

    assert refusal.value.returncode == 2


# -- check_specs ------------------------------------------------------------------------------------------------------


def test_check_specs_prints_file_line_and_column_like_a_compiler(capsys, tmp_path):
    file = tmp_path / "a.json"
    file.write_text('{\n  "definition": {\n    "name": 5,\n    "description": ""\n  }\n}')

    code, out, err = run(capsys, "check_specs", str(file))

    assert code == 1
    assert out == f"{file}:3:13: `name` must be a string. (spec.type at /definition/name)\n"
    assert err == "1 spec checked, 1 with problems\n"


def test_check_specs_groups_by_rule_on_a_terminal(tmp_path):
    for number in range(12):
        vague = {"definition": {"name": f"get thing {number}", "description": "Get the thing."}}
        (tmp_path / f"{number}.json").write_text(json.dumps(vague))
    (tmp_path / "wrong.json").write_text(
        '{"definition": {"name": 5, "description": "Get the thing."}}'
    )

    code, out, err = run_on_a_terminal("check_specs", str(tmp_path))

    groups = [group.splitlines() for group in out.strip().split("\n\n")]
    assert code == 1
    assert groups[0] == [
        "spec.type (1 problem)",
        f"  {tmp_path}/wrong.json:1:25: `name` must be a string. (at /definition/name)",
    ]
    names = next(group for group in groups if "name-not-portable" in group[0])
    assert names[0] == "Some providers do not accept the name: name-not-portable (12 warnings)"
    assert names[-1] == "  and 2 more: --format text lists all"
    assert len(names) == 2 + 10 + 1
    assert err.startswith("13 specs checked, 1 with problems")
    _, text, _ = run_on_a_terminal("check_specs", f"{tmp_path}/wrong.json", "--format", "text")
    assert text.startswith(f"{tmp_path}/wrong.json:1:25: `name` must be a string. (spec.type at")


def test_a_spec_cannot_control_the_terminal(capsys, tmp_path):
    file = tmp_path / "a.json"
    schema = {"type": "object", "properties": {"city\x1b[2J\u009b": {"type": "text"}}}
    definition = {"name": "get_weather", "description": "Get it.", "parameters": schema}
    file.write_text(json.dumps({"definition": definition}))

    code, shown, _ = run_on_a_terminal("check_specs", str(file))
    _, piped, _ = run(capsys, "check_specs", str(file))

    assert code == 1
    assert "/properties/city\ufffd[2J\ufffd/type" in shown
    assert "/properties/city\x1b[2J\u009b/type" in piped


@pytest.mark.corpora
def test_check_specs_prints_nothing_for_good_specs_and_exits_with_0(capsys):
    code, out, err = run(capsys, "check_specs", str(DATA / "specs_mcp.jsonl"), "--advice", "none")

    count = expected(selection="294", full="1,394")
    assert (code, out, err) == (0, "", f"{count} specs checked, 0 with problems\n")


def test_check_specs_prints_advice_and_exits_with_0(capsys, file):
    file.write_text(ADVISED.replace('"name"', '\n  "name"'))

    code, out, err = run(capsys, "check_specs", str(file))

    assert code == 0
    assert out == (
        f"{file}:2:11: warning: MCP, OpenAI, Anthropic and Gemini do not accept the tool name “Get weather”. "
        "(name-not-portable at /definition/name)\n"
    )
    assert err == "1 spec checked, 0 with problems, 1 with findings\n"


def test_check_specs_prints_advice_from_the_chosen_severity_on(capsys, file):
    file.write_text('{"definition": {"name": "Get weather", "description": " "}}')

    shown = {
        severity: run(capsys, "check_specs", str(file), "--advice", severity)[1].count("\n")
        for severity in ("none", "error", "warning", "info")
    }

    assert shown == {"none": 0, "error": 1, "warning": 2, "info": 5}


@pytest.mark.parametrize(("severity", "code"), [("none", 0), ("error", 0), ("warning", 1)])
def test_check_specs_can_fail_on_advice(capsys, file, severity, code):
    words = ["check_specs", str(file), "--advice", "none", "--fail-on", severity]

    assert run(capsys, *words)[0] == code


def test_the_lines_of_advice_are_lines_of_the_file(capsys, tmp_path):
    file = tmp_path / "specs.ndjson"
    file.write_text(f"{ADVISED}\n{ADVISED}\n")

    _, out, _ = run(capsys, "check_specs", str(file), "--format", "json")

    first, second = json.loads(out)
    assert [one["advice"][0]["line"] for one in (first, second)] == [1, 2]
    assert first["score"] == second["score"] < 100
    assert first["advice"][0]["fix"]["patch"][1] == {
        "op": "replace",
        "path": "/definition/name",
        "value": "Get_weather",
    }


def test_sarif_has_the_documentation_of_the_rules_with_links_to_the_site(capsys, file):
    file.write_text(NO_PROBLEM)
    words = ["check_specs", str(file), "--format", "sarif", "--advice", "info"]

    _, out, _ = run(capsys, *words)
    _, linked, _ = run(capsys, *words, "--site", "https://shelf.example.org/")

    [log], [of_site] = json.loads(out)["runs"], json.loads(linked)["runs"]
    assert {result["level"] for result in log["results"]} == {"note"}
    [rule] = [each for each in log["tool"]["driver"]["rules"] if each["id"] == "examples-missing"]
    assert rule["defaultConfiguration"] == {"level": "note"}
    assert rule["help"]["text"].startswith("Add one")
    assert "helpUri" not in rule
    links = {each["helpUri"] for each in of_site["tool"]["driver"]["rules"]}
    assert "https://shelf.example.org/lint/examples-missing/" in links
    with pytest.raises(CommandError, match="begin with http"):
        call_command("check_specs", str(file), "--site", "shelf.example.org")


@pytest.mark.parametrize(
    ("stored", "words", "address"),
    [
        (None, [], None),
        (None, ["--site", "https://shelf.example.org"], "https://shelf.example.org/"),
        ("https://own.example.org", [], "https://own.example.org/"),
        (
            "https://own.example.org",
            ["--site", "https://shelf.example.org/"],
            "https://shelf.example.org/",
        ),
    ],
)
def test_sarif_names_the_address_of_the_site_and_of_no_other_project(
    capsys, file, own_data_dir, stored, words, address
):
    if stored:
        write_site_url(stored)

    _, out, _ = run(capsys, "check_specs", str(file), "--format", "sarif", *words)

    driver = json.loads(out)["runs"][0]["tool"]["driver"]
    assert driver["name"] == "Toolshelf"
    assert driver.get("informationUri") == address


WAIVERS = [
    {"rule": "name-not-portable", "tool": "Get weather", "reason": "Our customers know this name."},
    {"rule": "examples-missing", "reason": "They are in the handbook."},
    {"rule": "return-type-missing", "tool": "another", "reason": "It returns nothing."},
    {"rule": "parameters-missing", "pointer": "/elsewhere", "reason": "It takes nothing."},
]


def test_check_specs_ignores_waived_findings(capsys, file, tmp_path):
    waivers = tmp_path / "waivers.txt"
    waivers.write_text(json.dumps(WAIVERS))

    words = ["check_specs", str(file), "--format", "json", "--advice", "info"]
    _, plain, _ = run(capsys, *words)
    _, waived, _ = run(capsys, *words, "--waivers", str(waivers))

    [before], [after] = json.loads(plain), json.loads(waived)
    assert {one["rule"] for one in before["advice"]} == {waiver["rule"] for waiver in WAIVERS}
    assert {one["rule"] for one in after["advice"]} == {"return-type-missing", "parameters-missing"}
    assert after["score"] > before["score"]


@pytest.mark.parametrize(
    "text",
    ["{}", "[1]", '[{"rule": "none", "reason": "a"}]', '[{"rule": "examples-missing"}]', "[", None],
)
def test_check_specs_refuses_invalid_waivers(file, tmp_path, text):
    waivers = tmp_path / "waivers.txt"
    if text is not None:
        waivers.write_text(text)

    with pytest.raises(CommandError) as refusal:
        call_command("check_specs", str(file), "--waivers", str(waivers))

    assert refusal.value.returncode == 2


def test_check_specs_reports_the_pointer_of_a_problem_in_a_real_spec(capsys, tmp_path):
    """It has `items` as an array, which is valid in draft-07, but not in 2020-12."""
    spec = (DATA / "specs_mcp_invalid.jsonl").read_text()
    file = tmp_path / "spec.jsonl"
    file.write_text(
        spec.replace(
            "http://json-schema.org/draft-07/schema#",
            "https://json-schema.org/draft/2020-12/schema",
        )
    )

    code, out, _ = run(capsys, "check_specs", str(file), "--format", "json")

    [checked] = json.loads(out)
    assert (code, checked["valid"]) == (1, False)
    assert (
        "/definition/parameters/properties/visualizationOptions/properties/interactivity/properties/zoomRange/items"
        in {problem["pointer"] for problem in checked["problems"]}
    )


def test_check_specs_writes_sarif_for_code_hosts(capsys, tmp_path):
    file = tmp_path / "a.json"
    file.write_text('{"definition": {"name": "a", "description": 5}}')

    _, out, _ = run(capsys, "check_specs", str(file), "--format", "sarif")

    [log] = json.loads(out)["runs"]
    [result] = log["results"]
    assert log["tool"]["driver"]["rules"] == [{"id": "spec.type"}]
    assert result["ruleId"] == "spec.type"
    location = result["locations"][0]
    assert location["physicalLocation"]["region"] == {"startLine": 1, "startColumn": 45}
    assert location["logicalLocations"] == [{"fullyQualifiedName": "/definition/description"}]


def test_check_specs_exits_with_2_for_a_missing_file():
    with pytest.raises(CommandError) as refusal:
        call_command("check_specs", "nowhere.json")

    assert refusal.value.returncode == 2


# -- rebuild_index ----------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_lost_index_is_rebuilt(capsys):
    make_tool("a", description="apples")
    make_tool("b", description="apples", archived=True)
    search_index().clear()
    assert not tools_of_query("apples").exists()

    run(capsys, "rebuild_index")

    assert tools_of_query("apples").count() == 2
    assert tools_of_query("apples").available().get().tool_id == "a"
