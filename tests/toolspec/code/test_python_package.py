"""The Python package: its files, its names, and that it is usable as it is."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.corpora import GET_WEATHER
from tests.factories import make_spec, properties
from toolspec.code import generate_project
from toolspec.spec import read_spec

ROOT = Path(__file__).resolve().parents[3]
SDK = ROOT / "sdk" / "src"
EVIL = '"""\nimport os\n[x]\n\u202e\x7f{{ 1 }} <<TOOL>> ]]> \U0001f600'


def weather():
    return generate_project(read_spec(GET_WEATHER.read_bytes()), "python")


def written(project, folder):
    for path, text in project.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def test_the_package_has_models_definition_factory_entry_point_test_and_readme():
    project = weather()

    assert sorted(project) == [
        ".gitignore",
        "README.md",
        "pyproject.toml",
        "src/get_weather_tool/__init__.py",
        "src/get_weather_tool/definition.py",
        "src/get_weather_tool/models.py",
        "src/get_weather_tool/py.typed",
        "src/get_weather_tool/spec.json",
        "src/get_weather_tool/tool.py",
        "tests/test_tool.py",
    ]
    entry_points = tomllib.loads(project["pyproject.toml"])["project"]["entry-points"]
    assert entry_points == {
        "toolshelf.factories": {"get_weather_tool": "get_weather_tool.tool:GetWeatherToolFactory"}
    }
    assert (
        "class GetWeatherToolFactory(ConfigurableToolFactory[Configuration]):"
        in project["src/get_weather_tool/tool.py"]
    )
    assert project["src/get_weather_tool/spec.json"] == GET_WEATHER.read_text(encoding="utf-8")


def test_a_tool_without_configuration_gets_a_factory_without_one():
    project = generate_project(
        make_spec("greet", parameters=properties(who={"type": "string"})), "python"
    )

    assert "class GreetToolFactory(UnconfigurableToolFactory):" in project["src/greet_tool/tool.py"]
    assert "Configuration" not in project["src/greet_tool/models.py"]


@pytest.mark.parametrize(
    "tool_id", ["json", "класс", "3d", "class", "x" * 200, "a/../../b", "None", "🎉", "tool", "a b"]
)
def test_any_tool_id_gives_a_project_that_compiles(tool_id):
    project = generate_project(make_spec(tool_id, description=EVIL), "python")

    for path, text in project.items():
        assert not path.startswith("/")
        assert ".." not in path
        if path.endswith(".py"):
            compile(text, path, "exec")


def test_the_words_of_a_spec_are_only_literals_and_quoted_text():
    spec = make_spec(
        "greet", name='Greet "all" <<TOOL>>', description=EVIL, examples=[{"description": EVIL}]
    )

    project = generate_project(spec, "python")

    assert tomllib.loads(project["pyproject.toml"])["project"]["description"].startswith(
        '""" import os [x]'
    )
    for path, text in project.items():
        if path.endswith(".py"):
            assert "\nimport os" not in text
    readme = project["README.md"]
    assert "\n    import os\n" in readme
    assert "\u202e" not in readme
    assert json.loads(project["src/greet_tool/spec.json"])["definition"]["description"] == EVIL


@pytest.mark.deep
def test_the_package_type_checks_and_its_test_fails_only_because_the_body_is_missing(tmp_path):
    """`tests/catalog/exports/test_sdk_wheel.py` builds and installs one."""
    project = written(weather(), tmp_path / "project")
    path = f"{SDK}:{project / 'src'}"
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": path, "MYPYPATH": str(SDK)}

    def run(*arguments):
        command = [sys.executable, "-m", *arguments]
        return subprocess.run(
            command, cwd=project, env=environment, text=True, capture_output=True, check=False
        )

    typed = run("mypy", "--cache-dir", str(tmp_path / "cache"))
    assert typed.returncode == 0, typed.stdout

    tested = run("pytest", "-q", "-p", "no:cacheprovider", "-c", "pyproject.toml")
    assert "2 failed, 1 passed" in tested.stdout, tested.stdout
    assert "NotImplementedError: Implement GetWeatherTool.call" in tested.stdout

    tool = project / "src" / "get_weather_tool" / "tool.py"
    missing = 'raise NotImplementedError("Implement GetWeatherTool.call")'
    body = 'return Response(condition="Sunny", temperature=28, temperatureUnit="C")'
    tool.write_text(tool.read_text().replace(missing, body))
    tested = run("pytest", "-q", "-p", "no:cacheprovider", "-c", "pyproject.toml")
    assert "3 passed" in tested.stdout, tested.stdout
