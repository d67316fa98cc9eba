"""Import generated source code, and specs for tests of it."""

from __future__ import annotations

import itertools
import sys
import types

from toolspec.code.python_models import PythonModels, python_models, write_imports

_numbers = itertools.count()


def imported(source: str, name: str = "generated") -> types.ModuleType:
    """The module with this source."""
    module = types.ModuleType(f"{name}_{next(_numbers)}")
    sys.modules[module.__name__] = module
    exec(compile(source, module.__name__, "exec"), module.__dict__)
    return module


def source_of(models: PythonModels) -> str:
    return f"from __future__ import annotations\n\n{write_imports(models.imports)}\n\n\n{models.source}"


def models_of(schema: object) -> str:
    """The source of the models for parameters with this schema."""
    return source_of(python_models({"Request": (schema, "/definition/parameters")}))
