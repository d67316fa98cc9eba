"""Measure generated code: how many specs become code that compiles and imports, with which types.

    .venv/bin/python -m bench.code_generation [--specs specs_mcp] [--mypy 40] [--out DIR]

Reads the specs of `tests/corpora.py` (the selection of the repository, or the full corpora of
`TOOLSHELF_CORPORA`), and generates the Python package of each. Prints a table; exits with 1 if code
does not compile or import, or if less than 95 % of the specs have real types throughout.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from bench.timing import get_p95
from tests import corpora
from toolspec.code import Project, generate_project
from toolspec.code.python_models import python_models
from toolspec.code.python_names import python_schemas
from toolspec.errors import SpecError
from toolspec.spec import ToolSpec, read_spec

ROOT = Path(__file__).resolve().parents[1]
SDK = ROOT / "sdk" / "src"
MIN_TYPED = 0.95

# Imports each module by its path, as a fresh process would: prints the path and the reason of each
# failure.
IMPORT = """
import importlib.util, sys
from pydantic import TypeAdapter
failures = 0
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
        failures += 1
        print(path, type(error).__name__, error)
sys.exit(1 if failures else 0)
"""


@dataclass
class Output:
    """The generated projects.

    Attributes:
        times_ms: of generating each.
        modules: those that can be imported alone.
        faults: what does not compile.
    """

    times_ms: list[float] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)
    modules: list[Path] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


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
    specs = read_specs(corpus)
    print(f"{corpus}: {len(specs)} specs")
    output = generate(specs, out)
    import_faults = import_modules(output.modules)
    for fault in (*output.faults, *import_faults):
        print(fault)
    times = output.times_ms
    print(f"  generated        {len(times)}")
    print(f"  compile          {len(times) - len(output.faults)}")
    print(f"  import           {len(output.modules) - len(import_faults)}")
    median, p95 = statistics.median(times), get_p95(times)
    print(f"  time of one      median {median:.0f} ms, p95 {p95:.0f} ms, max {max(times):.0f} ms")
    is_typed = measure_types(specs) >= MIN_TYPED
    passes_mypy = run_mypy(output.folders, mypy)
    return 0 if is_typed and passes_mypy and not output.faults and not import_faults else 1


def read_specs(corpus: str) -> list[ToolSpec]:
    specs = []
    for line in corpora.lines(corpus):
        try:
            specs.append(read_spec(line))
        except SpecError:
            continue
    return specs


def generate(specs: list[ToolSpec], out: Path) -> Output:
    output = Output()
    for spec in specs:
        began = time.perf_counter()
        project = generate_project(spec, "python")
        output.times_ms.append((time.perf_counter() - began) * 1000)
        folder = out / spec.sha256[:12]
        output.folders.append(folder)
        output.modules += write_project(project, folder)
        for path, text in project.items():
            if path.endswith(".py"):
                try:
                    compile(text, path, "exec")
                except (SyntaxError, ValueError) as error:
                    output.faults.append(f"{spec.tool_id}: {path}: {error}")
    return output


def write_project(project: Project, folder: Path) -> list[Path]:
    """Write the files of `project`; return the models, which can be imported alone."""
    for path, text in project.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return [folder / path for path in project if path.endswith("/models.py")]


def import_modules(modules: list[Path]) -> list[str]:
    """The path and the reason of each module that cannot be imported."""
    process = subprocess.run(
        [sys.executable, "-c", IMPORT],
        input="\n".join(map(str, modules)),
        text=True,
        capture_output=True,
        check=False,
    )
    faults = process.stdout.splitlines()
    if process.returncode and not faults:
        return [process.stderr]
    return faults


def measure_types(specs: list[ToolSpec]) -> float:
    """Print how many specs have real types throughout, and why others do not; return the share."""
    reasons: Counter[str] = Counter()
    count = 0
    for spec in specs:
        untyped = python_models(python_schemas(spec)).untyped
        missing = {part.reason for part in untyped if part.declared}
        count += not missing
        reasons.update(missing)
    share = count / len(specs)
    print(f"  real types throughout: {count} ({share:.1%})")
    for reason, number in reasons.most_common():
        print(f"    {number:>5}  {reason}")
    return share


def run_mypy(folders: list[Path], count: int) -> bool:
    """Whether `mypy --strict` accepts a sample of `count` projects."""
    if not count or not SDK.is_dir():
        print("  mypy --strict: not run")
        return True
    step = max(1, len(folders) // count)
    sample = sorted(set(folders))[::step][:count]
    targets = [str(folder / "src") for folder in sample]
    process = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", *targets],
        env={"MYPYPATH": str(SDK), "PATH": "/usr/bin:/bin"},
        cwd=ROOT,
        text=True,
        capture_output=True,
        check=False,
    )
    print(f"  mypy --strict of {len(targets)} projects: {process.stdout.strip().splitlines()[-1]}")
    return process.returncode == 0


if __name__ == "__main__":
    main()
