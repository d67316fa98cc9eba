import shutil
from pathlib import Path

import pytest
from django.utils import timezone

from catalog.tools.publishing import publish
from playground.examples.models import ExampleCheck
from playground.factories.registry import FactoryRegistry
from playground.runs.models import Run
from tests.factories import make_tool
from tests.playground.runners import TOOLS
from toolspec.spec import read_spec

SPECS = Path(__file__).resolve().parents[2] / "playground" / "builtin" / "specs"


class LastingRunner:
    """A real runner that outlives the supervisor of one test: what it keeps warm need not be made for each."""

    def __init__(self, runner):
        self.runner = runner
        self.handles = []

    @property
    def queue(self):
        return self.runner.queue

    def submit(self, job, turn=None):
        self.handles.append(self.runner.submit(job, turn))
        return self.handles[-1]

    def renew(self):
        return self.runner.renew()

    def warm(self, jobs):
        self.runner.warm(jobs)

    def close(self):
        for handle in self.handles:
            handle.cancel()
        for handle in self.handles:
            handle.wait(10)
        self.handles.clear()


@pytest.fixture(scope="session")
def lasting_runners():
    runners = {}
    yield runners
    for lasting in runners.values():
        lasting.runner.close()


@pytest.fixture
def runs(transactional_db, lasting_runners, monkeypatch):
    """Runs can be made: by real processes, which are ended with the test."""
    from playground.runs import supervisor

    make_runner = supervisor.make_runner

    def lasting_runner(slots):
        if slots not in lasting_runners:
            lasting_runners[slots] = LastingRunner(make_runner(slots))
        return lasting_runners[slots]

    monkeypatch.setattr(supervisor, "make_runner", lasting_runner)
    yield
    supervisor.close_supervisor()


@pytest.fixture
def builtin(db):
    """Publishes a built-in tool by its id: `builtin("count_slowly")`."""

    def publish_builtin(name):
        return publish(read_spec((SPECS / f"{name}.json").read_bytes()), by=None).tool

    return publish_builtin


@pytest.fixture
def failed_check(ada):
    """Ada's check of a tool whose response differs from the example, with an ignored pointer that she typed."""
    tool = make_tool(
        "balance",
        examples=[{"parameters": {}, "returnValue": {"owner": "x", "iban": "x", "id": 1}}],
    )
    check = ExampleCheck.objects.create(
        tool=tool,
        revision=tool.current,
        by=ada,
        failed=1,
        finished_at=timezone.now(),
        ignored_json='["/mother_name"]',
    )
    Run.objects.create(
        tool=tool,
        revision=tool.current,
        by=ada,
        outcome="returned",
        verdict="conforms",
        parameters_json="{}",
        response_json='{"owner": "Ada", "iban": "GB00", "shoe_size": 41}',
        example_check=check,
        example_number=1,
    )
    return check


FACTORY = "class F:\n    def tool_id(self): return 'later'\n    def create(self): pass\n"


class LaterFactory:
    """A package with one factory, `later_tools:F`, which can be installed in a folder while this process runs."""

    def __init__(self, folder):
        self.folder = folder

    def install(self):
        (self.folder / "later_tools.py").write_text(FACTORY)
        metadata = self.folder / "later_tools-1.0.dist-info"
        metadata.mkdir(exist_ok=True)
        (metadata / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: later-tools\nVersion: 1.0\n"
        )
        (metadata / "entry_points.txt").write_text("[toolshelf.factories]\nlater = later_tools:F\n")

    def change(self, code):
        (self.folder / "later_tools.py").write_text(f"{code}\n{FACTORY}")

    def uninstall(self):
        shutil.rmtree(self.folder / "later_tools-1.0.dist-info")
        (self.folder / "later_tools.py").unlink()


@pytest.fixture
def own_registry(monkeypatch):
    """Give this site a registry of the test's own."""

    def use(*paths, **options):
        made = FactoryRegistry(paths, **options)
        used_by = (
            "factories.views", "factories.api", "factories.rescans", "templatetags.runs", "factories.connections",
            "management.commands.make_spec",
        )  # fmt: skip
        for module in used_by:
            monkeypatch.setattr(f"playground.{module}.registry", lambda: made)
        return made

    return use


@pytest.fixture
def later_factory(tmp_path, own_registry, own_data_dir):
    """A site without factories, and a package that can be installed later."""
    for directory in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        directory.chmod(0o755)
    own_registry(search_path=[str(tmp_path)])
    return LaterFactory(tmp_path)


OWN_SPECS = ("own_specs:PricedFactory", "own_specs:InvalidFactory", "own_specs:UndescribedFactory")


@pytest.fixture(scope="session")
def own_specs_cache(tmp_path_factory):
    """The descriptions of `OWN_SPECS`, so that only the first test imports them."""
    return tmp_path_factory.mktemp("own_specs") / "factories.json"


@pytest.fixture
def own_specs(own_registry, own_specs_cache):
    """A site whose factories have specs of their own."""
    return own_registry(*OWN_SPECS, search_path=[str(TOOLS)], cache_file=own_specs_cache)
