"""`python -m toolshelf_tools`: check a factory, or print its spec."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toolshelf_tools.decorator import read_spec
from toolshelf_tools.factories import load_factory
from toolshelf_tools.spec import NoSpecError, make_spec

PASSED, FAILED, UNUSABLE = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 if all checks passed, 1 if some failed, 2 if there is nothing to check."""
    options = _make_parser().parse_args(arguments)
    sys.path.insert(0, "")  # like `python -m`, also as a script
    try:
        factory = load_factory(options.factory)
    except ImportError as error:
        return _refuse(f"{options.factory} cannot be imported: {_format(error)}")
    except Exception as error:  # noqa: BLE001  whatever importing it raises
        traceback.print_exc()
        return _refuse(f"{options.factory} cannot be imported: {_format(error)}")
    try:
        if options.command == "spec":
            return _print_spec(factory)
        return _check(factory, options)
    except NoSpecError as error:
        return _refuse(str(error))
    except Exception as error:  # noqa: BLE001  whatever creating a tool raises
        traceback.print_exc()
        return _refuse(f"{options.factory} has no spec: {_format(error)}")


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m toolshelf_tools", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    spec = commands.add_parser("spec", help="print the spec of a factory as JSON")
    check = commands.add_parser(
        "check",
        help="check a factory's spec, and call its tool with each example",
        epilog="The exit code is 0 if everything passed, 1 if something failed, "
        "2 if there is nothing to check.",
    )
    for command in (spec, check):
        command.add_argument("factory", help="my_package:factory")
    check.add_argument(
        "--spec", type=Path, help="the file of a spec; default: the factory's own spec"
    )
    check.add_argument(
        "--configuration",
        metavar="JSON",
        type=_read_json,
        help="the tool's configuration; default: {}",
    )
    check.add_argument(
        "--ignore",
        metavar="POINTER",
        action="append",
        default=[],
        help="a JSON Pointer whose value may differ",
    )
    check.add_argument(
        "--not-exactly", action="store_true", help="responses may differ from those of the examples"
    )
    return parser


def _read_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"it is not JSON: {error}") from error


def _print_spec(factory: Any) -> int:
    json.dump(make_spec(factory), sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")
    return PASSED


def _check(factory: Any, options: argparse.Namespace) -> int:
    try:
        # It needs more packages than the other command.
        from toolshelf_tools.testing import Subject  # noqa: PLC0415

        spec = None if options.spec is None else read_spec(options.spec)
    except ValueError as error:
        return _refuse(f"{options.spec}: {error}")
    except (ImportError, OSError) as error:
        return _refuse(str(error))
    subject = Subject(
        factory,
        spec=spec,
        configuration=options.configuration,
        exactly=not options.not_exactly,
        ignored=options.ignore,
    )
    sys.stdout.write(f"{factory.tool_id()}\n")
    steps = [("definition", subject.find_problems())]
    if not steps[0][1]:
        for example in subject.examples:
            steps.append((str(example), example.find_problems()))
    failures = 0
    for title, problems in steps:
        failures += bool(problems)
        mark = "FAIL" if problems else "ok  "
        sys.stdout.write(f"  {mark}  {title}\n")
        for problem in problems:
            text = f"{problem.message}\n{problem.details}".strip()
            if not title.startswith(problem.where):
                text = f"{problem.where}: {text}"
            sys.stdout.write(f"{textwrap.indent(text, ' ' * 10)}\n")
    if not subject.examples:
        sys.stdout.write("  There are no examples, so the tool was not called.\n")
    sys.stdout.write(f"{len(steps) - failures} passed, {failures} failed.\n")
    return FAILED if failures else PASSED


def _format(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _refuse(reason: str) -> int:
    sys.stderr.write(f"{reason}\n")
    return UNUSABLE


if __name__ == "__main__":
    sys.exit(main())
