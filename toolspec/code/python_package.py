"""An installable Python package that implements a tool: only the body of `call` is missing.

The folder `python` has the templates.
"""

from __future__ import annotations

from toolspec.code.project_text import fill_template, literal, one_line, quoted_block
from toolspec.code.python_models import python_models, write_imports
from toolspec.code.python_names import ToolNames, python_schemas
from toolspec.schema.sampling import NoValue, sample
from toolspec.schema.validation import compile_schema
from toolspec.spec import ToolSpec
from toolspec.text.reader import JSON, dumps


def python_package_project(spec: ToolSpec, sdk: str) -> dict[str, str]:
    """The files of the package: relative path -> text.

    `sdk` is the URL of the package `toolshelf-tools`: an index may have another package of that
        name.

    """
    names = ToolNames.of(spec)
    models = python_models(python_schemas(spec))
    values = {
        "PACKAGE": names.package,
        "DISTRIBUTION": names.distribution,
        "TOOL": names.tool,
        "FACTORY": names.factory,
        "TITLE": one_line(spec.name),
        "SDK": literal(f"toolshelf-tools @ {sdk}"),
        "SDK_FOR_TESTS": literal(f"toolshelf-tools[testing] @ {sdk}"),
        "SUMMARY": literal(one_line(spec.description) or one_line(spec.name)),
        "DESCRIPTION": quoted_block(spec.description),
        "PARAMETERS": literal(_sample(spec.parameters, spec.sha256)),
        "CONFIGURATION": literal(_sample(spec.configuration, spec.sha256)),
    }
    tool = "tool" if spec.configuration is None else "configurable_tool"
    imports = write_imports(models.imports)
    head = fill_template("python/models.py", {})
    source = f"src/{names.package}"
    return {
        "pyproject.toml": fill_template("python/pyproject.toml", values),
        "README.md": fill_template("python/README.md", values),
        ".gitignore": ".venv/\n__pycache__/\ndist/\n",
        f"{source}/__init__.py": fill_template("python/__init__.py", values),
        f"{source}/py.typed": "",
        f"{source}/spec.json": spec.source,
        f"{source}/definition.py": fill_template("python/definition.py", {}),
        f"{source}/models.py": f"{head}{imports}\n\n\n{models.source}",
        f"{source}/tool.py": fill_template(f"python/{tool}.py", values),
        "tests/test_tool.py": fill_template("python/test_tool.py", values),
    }


def _sample(schema: JSON, seed: str) -> str:
    """A value for `schema` as JSON; {} if none is found."""
    if schema is None:
        return "{}"
    try:
        return dumps(sample(compile_schema(schema), seed))
    except NoValue:
        return "{}"
