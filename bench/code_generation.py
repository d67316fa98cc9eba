"""Measure generated code: how many specs become code that compiles and imports, with which types, and how fast.

    .venv/bin/python -m bench.code_generation [--specs specs_mcp] [--mypy 40] [--out DIR]

Reads the specs of `tests/corpora.py` (the selection of the repository, or the full corpora of `TOOLSHELF_CORPORA`), and
generates the Python package of each. Prints a table; exits with 1 if code does not compile or import,
or if less than 95 % of the specs have real types throughout.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests import corpora
from toolspec.code import Project, generate_project
from toolspec.code.python_models import python_models
from toolspec.code.python_names import python_schemas
from toolspec.errors import SpecError
from toolspec.spec import ToolSpec, read_spec

ROOT = Path(__file__).resolve().parents[1]
SDK = ROOT / "sdk" / "src"
MIN_TYPED = 0.95

# Imports each module by its path, as a fresh process would: prints the path and the reason of each failure.
IMPORT = """
import importlib.util, sys
from pydantic import TypeAdapter
failed = 0
for number, path in enumerate(sys.stdin.read().split("\\n")):
    spec = importlib.util.spec_from_file_location(f"generated_{number}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
        for name in ("Request", "Response", "Configuration"):
            if hasattr(module, name):
                TypeAdapter(getattr(module, name))
    except Exception as error:
        failed += 1
        print(path, type(error).__name__, error)
sys.exit(1 if failed else 0)
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--specs", default="specs_mcp", help="a corpus; default: specs_mcp")
    parser.add_argument(
        "--mypy", type=int, default=40, metavar="N", help="packages that mypy checks; default: 40"
    )
    parser.add_argument(
        "--out", type=Path, help="where the projects are written; default: a temporary folder"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(measure(options.specs, options.mypy, options.out or Path(folder)))


def measure(corpus: str, mypy: int, out: Path) -> int:
    specs = [spec for line in corpora.lines(corpus) if (spec := readable(line)) is not None]
    print(f"{corpus}: {len(specs)} specs")
    seconds, folders, modules, broken = generated(specs, out)
    unimportable = imports_of(modules)
    failed = bool(broken or unimportable)
    print(*broken, *unimportable, sep="\n", end="\n" if failed else "")
    print(f"  generated        {len(seconds)}")
    print(f"  compile          {len(seconds) - len(broken)}")
    print(f"  import           {len(modules) - len(unimportable)}")
    times = (f"{name} {1000 * value:.0f} ms" for name, value in timing(seconds).items())
    print(f"  time of one      {', '.join(times)}")
    share = typed(specs)
    return 1 if failed or share < MIN_TYPED or not checked_by_mypy(folders, mypy) else 0


def readable(line: str) -> ToolSpec | None:
    try:
        return read_spec(line)
    except SpecError:
        return None


def generated(
    specs: list[ToolSpec], out: Path
) -> tuple[list[float], list[Path], list[Path], list[str]]:
    """The seconds of each project, its folder, the modules that can be imported, and what does not compile."""
    seconds: list[float] = []
    folders: list[Path] = []
    modules: list[Path] = []
    broken: list[str] = []
    for spec in specs:
        started = time.perf_counter()
        project = generate_project(spec, "python")
        seconds.append(time.perf_counter() - started)
        folders.append(out / spec.sha256[:12])
        modules += written(project, folders[-1])
        for path in (path for path in project if path.endswith(".py")):
            try:
                compile(project[path], path, "exec")
            except (SyntaxError, ValueError) as error:
                broken.append(f"{spec.tool_id}: {path}: {error}")
    return seconds, folders, modules, broken


def written(project: Project, folder: Path) -> list[Path]:
    """Write the files of `project`; the models, which can be imported alone."""
    for path, text in project.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return [folder / path for path in project if path.endswith("/models.py")]


def imports_of(modules: list[Path]) -> list[str]:
    """The path and the reason of each module that cannot be imported."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORT],
        input="\n".join(map(str, modules)),
        text=True,
        capture_output=True,
        check=False,
    )
    return done.stdout.splitlines() or ([done.stderr] if done.returncode else [])


def typed(specs: list[ToolSpec]) -> float:
    """Print how many specs have real types throughout, and why others do not; the share of the former."""
    why: Counter[str] = Counter()
    untyped = 0
    for spec in specs:
        missing = [
            part.reason for part in python_models(python_schemas(spec)).untyped if part.declared
        ]
        untyped += bool(missing)
        why.update(set(missing))
    share = 1 - untyped / len(specs)
    print(f"  real types throughout: {len(specs) - untyped} ({share:.1%})")
    for reason, count in why.most_common():
        print(f"    {count:>5}  {reason}")
    return share


def checked_by_mypy(folders: list[Path], count: int) -> bool:
    """Whether `mypy --strict` accepts the sample."""
    if not count or not SDK.is_dir():
        print("  mypy --strict: not run")
        return True
    sample = sorted(set(folders))[:: max(1, len(folders) // count)][:count]
    targets = [str(folder / "src") for folder in sample]
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", *targets],
        env={"MYPYPATH": str(SDK), "PATH": "/usr/bin:/bin"},
        cwd=ROOT,
        text=True,
        capture_output=True,
        check=False,
    )
    print(f"  mypy --strict of {len(targets)} projects: {checked.stdout.strip().splitlines()[-1]}")
    return checked.returncode == 0


def timing(seconds: list[float]) -> dict[str, float]:
    ordered = sorted(seconds)
    return {
        "median": statistics.median(ordered),
        "p95": ordered[int(0.95 * (len(ordered) - 1))],
        "max": ordered[-1],
    }


if __name__ == "__main__":
    main()
