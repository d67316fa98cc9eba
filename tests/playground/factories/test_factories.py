"""The registry of factories: the registered ones, their tools, and their errors."""

import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from decimal import Decimal
from pathlib import Path

import pytest

from playground.factories import description_cache
from playground.factories.description_cache import DescriptionCache
from playground.factories.discover import read_registrations
from playground.factories.inspect import Description
from playground.factories.registry import FactoryRegistry, registry
from playground.runner.engine.isolation_report import features_of
from tests.corpora import GET_WEATHER
from tests.playground.runners import TOOLS, MarkedRunner, soon
from toolspec.code import generate_project, project_zip
from toolspec.spec import read_spec

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "tests" / "factory_package"


def make_registry(*paths, **options):
    return FactoryRegistry(paths, **{"search_path": [str(TOOLS)], **options})


@pytest.fixture
def open_tmp_path(tmp_path):
    """A directory that other users may read."""
    for directory in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        directory.chmod(0o755)
    return tmp_path


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A third party's package."""
    return install(PACKAGE, tmp_path_factory.mktemp("site"))


def install(package, site):
    """Install a package by pip, without a network, into the directory `site`."""
    site.mkdir(exist_ok=True)
    for directory in (site, site.parent, site.parent.parent):
        directory.chmod(0o755)
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    if importlib.util.find_spec("pip") is None:
        (bundled,) = (Path(importlib.util.find_spec("ensurepip").origin).parent / "_bundled").glob(
            "pip-*.whl"
        )
        environment["PYTHONPATH"] = str(bundled)
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--no-build-isolation",
        "--no-deps",
    ]
    options = [
        "--no-cache-dir",
        "--disable-pip-version-check",
        "--root-user-action=ignore",
        "--target",
        str(site),
    ]
    subprocess.run(
        [*command, *options, str(package)], env=environment, check=True, cwd=site, timeout=120
    )
    return site


# A third party's package


def test_a_package_that_is_not_installed_registers_nothing():
    assert {info.origin for info in make_registry().all()} <= {"entry point"}
    assert make_registry().for_tool("moon_phase") is None


def test_installing_a_package_registers_its_tools(installed):
    found = FactoryRegistry(search_path=[str(installed)])

    info = found.for_tool("moon_phase")

    assert info.state == "ok"
    assert info.key == "moon_phase"
    assert info.reference == "almanac.moon:MoonPhaseFactory"
    assert info.origin == "entry point"
    assert info.label == "almanac-tools 2.1.0"
    assert info.configurable is False
    assert found.for_tool("greeting").configurable is True
    assert found.runnable_ids() == {"moon_phase", "greeting"}


def test_the_tools_of_an_installed_package_run(installed):
    runner = MarkedRunner(search_path=[installed])
    try:
        moon = runner.run("almanac.moon:MoonPhaseFactory", {"date": "2000-01-21"})
        greeting = runner.run(
            "almanac.greeting:greeting", {"name": "Ada"}, configuration={"word": "Servus"}
        )
    finally:
        runner.close()

    assert moon.response == {"phase": Decimal("0.51")}, moon.error
    assert greeting.response == "Servus, Ada!"
    assert greeting.progress.message == "greeting"


def test_a_generated_package_installs_and_its_tool_runs_once_its_method_is_written(tmp_path):
    spec = read_spec(GET_WEATHER.read_bytes())
    with zipfile.ZipFile(
        io.BytesIO(project_zip(generate_project(spec, "python"), "weather"))
    ) as archive:
        archive.extractall(tmp_path)
    source = tmp_path / "weather" / "src" / "get_weather_tool" / "tool.py"
    body = (
        'return Response(condition=f"Sunny in {request.location}", '
        "temperatureUnit=self.configuration.temperatureUnit)"
    )
    missing = 'raise NotImplementedError("Implement GetWeatherTool.call")'
    assert missing in source.read_text()
    source.write_text(source.read_text().replace(missing, body))

    site = install(tmp_path / "weather", tmp_path / "site")

    info = FactoryRegistry(search_path=[str(site)]).for_tool("Get weather")
    assert (info.status, info.key, info.label) == (
        "ready",
        "get_weather_tool",
        "get-weather-tool 0.1.0",
    )
    assert info.file == str(site / "get_weather_tool" / "tool.py")
    runner = MarkedRunner(search_path=[site])
    try:
        run = runner.run(
            info.reference, {"location": "Rome"}, configuration={"temperatureUnit": "C"}
        )
    finally:
        runner.close()
    assert run.response == {"condition": "Sunny in Rome", "temperatureUnit": "C"}, run.error


# Registrations


def test_a_path_in_the_setting_names_a_factory():
    (info,) = make_registry("attack_tool:Factory").all()

    assert (info.key, info.origin, info.tool_id, info.state) == (
        "attack_tool:Factory",
        "setting",
        "attack",
        "ok",
    )


def test_a_path_may_be_dotted():
    (info,) = make_registry("attack_tool.Factory").all()

    assert (info.reference, info.state) == ("attack_tool:Factory", "ok")


def test_a_path_may_name_a_factory_instead_of_a_class():
    (info,) = make_registry("typed_tools:plain").all()

    assert (info.tool_id, info.configurable) == ("typed", False)


def test_a_factory_of_toolshelf_itself_has_its_version():
    (info,) = make_registry("playground.builtin.hash_text:hash_text").all()

    assert info.label == "toolshelf 0.1.0"


def test_a_factory_of_an_unknown_package_is_labelled_with_its_path():
    (info,) = make_registry("attack_tool:Factory").all()

    assert info.label == "attack_tool:Factory"


def test_a_factory_named_twice_is_listed_once():
    assert len(make_registry("attack_tool:Factory", "attack_tool.Factory").all()) == 1


def test_the_server_never_imports_the_named_modules():
    make_registry("attack_tool:Factory", "playground.builtin.sign_text:sign_text").all()

    assert "attack_tool" not in sys.modules


def test_whether_importing_starts_threads_is_known():
    infos = make_registry("attack_tool:Factory", "starts_threads:Factory").all()

    assert [info.forks_safely for info in infos] == [True, False]


def test_a_module_below_packages_without_init_can_be_named(open_tmp_path):
    (open_tmp_path / "outer" / "inner").mkdir(parents=True)
    (open_tmp_path / "outer" / "inner" / "deep.py").write_text(
        "class F:\n    def tool_id(self): return 'deep'\n    def create(self): pass\n"
    )

    (info,) = make_registry("outer.inner.deep:F", search_path=[str(open_tmp_path)]).all()

    assert (info.state, info.tool_id) == ("ok", "deep")


# Faults


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("nowhere.at_all:Factory", "ModuleNotFoundError: No module named 'nowhere'"),
        ("attack_tool:Missing", "AttributeError: module 'attack_tool' has no attribute 'Missing'"),
        (
            "attack_tool:textwrap",
            "NotAFactoryError: attack_tool:textwrap is module, which has no tool_id()",
        ),
        (
            "missing_dependency:Factory",
            "ModuleNotFoundError: No module named 'a_package_that_nobody_has'",
        ),
        ("import_error:Factory", "RuntimeError: this package does not work"),
        (
            "import_exit:Factory",
            "The factory's process ended with exit code 3 while it was being imported.",
        ),
        ("attack_tool", "ValueError: Empty module name"),
    ],
)
def test_a_factory_that_cannot_be_used_says_why(path, error):
    (info,) = make_registry(path).all()

    assert info.state == "broken"
    assert info.error.splitlines()[0] == error
    assert info.missing_package == (
        "a_package_that_nobody_has" if path.startswith("missing") else ""
    )
    assert info.tool_id is None


def test_the_error_shows_where_importing_failed():
    (info,) = make_registry("missing_dependency:Factory").all()

    assert "missing_dependency.py" in info.error
    assert "runner/worker" not in info.error


def test_a_second_factory_for_a_tool_is_broken_and_names_the_first():
    first, second = make_registry("typed_tools:plain", "typed_tools:place").all()

    assert (first.state, second.state) == ("ok", "broken")
    assert (
        second.error
        == 'The tool id "typed" is already served by typed_tools:plain (typed_tools:plain).'
    )


def test_the_setting_comes_before_entry_points(installed):
    found = FactoryRegistry(["almanac.greeting:greeting"], search_path=[str(installed)])

    assert [info.key for info in found.all()] == ["almanac.greeting:greeting", "moon_phase"]


def test_a_tool_that_only_a_broken_factory_would_serve_has_that_factory(open_tmp_path):
    (open_tmp_path / "claims.py").write_text(
        "class A:\n    def tool_id(self): return 'a'\n    def create(self): pass\nclass B(A): pass\n"
    )
    found = make_registry("claims:A", "claims:B", search_path=[str(open_tmp_path)])

    assert found.for_tool("a").reference == "claims:A"
    assert found.for_tool("b") is None


@pytest.mark.parametrize("tool_id", ["None", "''", "3", "['a']"])
def test_an_id_that_is_not_a_string_is_an_error(tool_id, open_tmp_path):
    (open_tmp_path / "odd_id.py").write_text(
        f"class F:\n    def tool_id(self): return {tool_id}\n    def create(self): pass\n"
    )

    (info,) = make_registry("odd_id:F", search_path=[str(open_tmp_path)]).all()

    assert info.error.startswith("NotAFactoryError: odd_id:F: tool_id() returns")


@pytest.mark.deep
@pytest.mark.alone
def test_a_factory_whose_import_never_ends_delays_no_others():
    found = make_registry(
        "import_hang:Factory", "attack_tool:Factory", timeout_s=5, import_limit_s=20
    )

    assert found.for_tool("attack").state == "ok"

    assert found.all()[0].error == "It is still being imported."
    assert soon(
        lambda: found.all()[0].error == "Importing it did not end within 20 s.", within_s=120
    )


# The cache


def test_descriptions_are_cached_for_the_next_start(tmp_path):
    cache_file = tmp_path / "factories.json"
    first = make_registry(
        "attack_tool:Factory", "import_error:Factory", cache_file=cache_file
    ).all()

    again = make_registry("attack_tool:Factory", cache_file=cache_file, timeout_s=0)

    assert again.all() == first[:1]
    assert json.loads(cache_file.read_text())["factories"].keys() == {"attack_tool:Factory"}


def test_a_cached_description_is_discarded_when_the_code_changes(open_tmp_path):
    module, cache_file = open_tmp_path / "changes.py", open_tmp_path / "factories.json"
    source = "class F:\n    def tool_id(self): return 'before'\n    def create(self): pass\n"
    module.write_text(source)
    options = {"search_path": [str(open_tmp_path)], "cache_file": cache_file}
    assert make_registry("changes:F", **options).all()[0].tool_id == "before"

    module.write_text(source.replace("before", "afterwards"))

    assert make_registry("changes:F", **options).all()[0].tool_id == "afterwards"


def test_cached_descriptions_are_discarded_when_the_spec_of_a_builtin_tool_changes(
    tmp_path, monkeypatch
):
    specs = tmp_path / "specs"
    shutil.copytree(description_cache.SPECS, specs)
    monkeypatch.setattr(description_cache, "SPECS", specs)
    registrations = read_registrations(["playground.builtin.hash_text:HashTextFactory"])
    cache = DescriptionCache(tmp_path / "factories.json")
    cache.write(registrations, {registrations[0].reference: Description(tool_id="hash_text")})
    before = cache.read(registrations)

    (specs / "hash_text.json").write_text("{}")

    assert [one.tool_id for one in before.values()] == ["hash_text"]
    assert cache.read(registrations) == {}


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '{"for": 1, "factories": 2}', "\0"])
def test_a_corrupt_cache_file_is_ignored(text, tmp_path):
    cache_file = tmp_path / "factories.json"
    cache_file.write_text(text)

    assert make_registry("attack_tool:Factory", cache_file=cache_file).all()[0].state == "ok"


def test_a_cache_file_that_cannot_be_written_is_ignored(tmp_path):
    found = make_registry("attack_tool:Factory", cache_file=tmp_path / "nowhere" / "factories.json")

    assert found.all()[0].state == "ok"


def test_the_registry_discovers_once_until_it_is_refreshed(open_tmp_path):
    found = make_registry("later:F", search_path=[str(open_tmp_path)])
    assert found.all()[0].state == "broken"
    (open_tmp_path / "later.py").write_text(
        "class F:\n    def tool_id(self): return 'later'\n    def create(self): pass\n"
    )

    assert found.all()[0].state == "broken"
    found.refresh()
    assert found.all()[0].state == "ok"


def test_reading_names_imports_nothing():
    registrations = read_registrations(
        ["attack_tool:Factory", "playground.builtin.query_json:QueryJsonFactory"], [str(TOOLS)]
    )

    assert [each.reference for each in registrations][:2] == [
        "attack_tool:Factory",
        "playground.builtin.query_json:QueryJsonFactory",
    ]
    assert "attack_tool.py" in registrations[0].state_of_code
    assert "attack_tool" not in sys.modules


# This site's own


def test_every_built_in_tool_has_a_factory_that_works():
    infos = [info for info in registry().all() if info.distribution == "toolshelf"]

    assert len(infos) >= 18
    assert {info.state for info in infos} == {"ok"}
    assert {info.forks_safely for info in infos} == {True}


def test_isolation_is_described_in_sentences():
    features = registry().isolation()

    assert [feature.name for feature in features][:3] == [
        "One process per run",
        "Limits",
        "Clean environment",
    ]
    assert all(feature.text for feature in features)


@pytest.mark.parametrize(
    ("mode", "own_users", "warning"),
    [
        ("plain", False, "it can read and change the site's database and keys"),
        ("plain", True, "A run can read only files that every user of this machine can read."),
    ],
)
def test_without_namespaces_the_rights_of_a_run_are_described(mode, own_users, warning):
    found = {
        "mode": mode,
        "own_users": own_users,
        "control_groups": False,
        "networks": {
            "none": "this machine allows no namespaces",
            "outward": "this machine allows no namespaces",
        },
        "refused": {
            "namespaces": "unshare: Operation not permitted",
            "users": "it is switched off",
        },
    }

    features = {feature.name: feature for feature in features_of(found)}

    assert warning in features["Own files"].text
    assert "unshare: Operation not permitted" in features["Own files"].text
    assert features["Own user"].is_on is own_users
    assert features["Network"].is_on is False
    assert "Every run has the network of the site itself" in features["Network"].text
