"""The process in which datamodel-code-generator runs: `python -m catalog.code_generation.generator_process`.

It reads jobs from stdin and writes results to stdout, one line of JSON each, until stdin ends or no job comes for
`IDLE_S`. A job is {"document", "names"}; a result {"text"}, {"error"} or {"limit"}. Each job runs in a fork, so that
the slow import happens once, and a job that takes too much time or memory ends alone. Nothing is read or written but
the pipes.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import sys
from typing import Any, Final

CPU_S: Final = 15  # of one job; 300 classes take 3 s
MEMORY_BYTES: Final = 1_500_000_000
IDLE_S: Final = 600
BASE: Final = (
    "generated.Model"  # the base class of the models; `python_models` defines it in their place
)
ROOT: Final = "Roots"


def main() -> None:
    from datamodel_code_generator import generate  # noqa: F401, PLC0415  slow; before the first fork

    _generated(
        {"document": {"type": "object", "properties": {"a": {"type": "string"}}}, "names": {}}
    )  # the rest
    jobs, results = sys.stdin.buffer, sys.stdout.buffer
    while True:
        ready, _, _ = select.select([jobs], [], [], IDLE_S)
        line = jobs.readline() if ready else b""
        if not line:
            return
        results.write(_result_of(line) + b"\n")
        results.flush()


def _result_of(line: bytes) -> bytes:
    """The result of one job, which runs in a child of this process."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        _run(line, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        result = pipe.read()
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in {signal.SIGXCPU, signal.SIGKILL}:
        return _exceeded(f"it takes more than {CPU_S} seconds")
    return result or _exceeded("it takes too much memory")


def _run(line: bytes, writer: int) -> None:
    """In the child: generate, write the result, exit."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        result = json.dumps({"text": _generated(json.loads(line))}).encode()
    except MemoryError:
        result = _exceeded("it takes too much memory")
    except BaseException as error:  # noqa: BLE001  whatever the generator raises is its answer
        result = json.dumps({"error": f"{type(error).__name__}: {error}"[:300]}).encode()
    with os.fdopen(writer, "wb") as pipe:
        pipe.write(result)
    os._exit(0)


def _exceeded(limit: str) -> bytes:
    return json.dumps({"limit": limit}).encode()


def _generated(job: dict[str, Any]) -> str:
    from datamodel_code_generator import InputFileType, generate  # noqa: PLC0415
    from datamodel_code_generator.enums import DataModelType  # noqa: PLC0415
    from datamodel_code_generator.format import Formatter, PythonVersion  # noqa: PLC0415
    from datamodel_code_generator.parser import LiteralType  # noqa: PLC0415

    return str(
        generate(
            json.dumps(job["document"]),
            input_file_type=InputFileType.JsonSchema,
            output_model_type=DataModelType.PydanticV2BaseModel,
            target_python_version=PythonVersion.PY_311,
            formatters=[Formatter.BUILTIN],  # the others take seconds
            builtin_format_line_length=120,
            disable_timestamp=True,
            custom_file_header="#",
            class_name=ROOT,
            base_class=BASE,
            aliases=job["names"],
            allow_remote_refs=False,
            enum_field_as_literal=LiteralType.All,
            field_constraints=True,
            strict_nullable=True,
            use_annotated=True,
            use_double_quotes=True,
            use_schema_description=True,
            use_standard_collections=True,
            use_union_operator=True,
        )
    )


if __name__ == "__main__":
    main()
