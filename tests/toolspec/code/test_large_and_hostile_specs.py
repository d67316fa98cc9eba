"""Code from specs that are large, hostile or real."""

import pytest

from tests import corpora
from tests.attacks.cases import cases
from tests.factories import make_spec, properties
from toolspec.code import LANGUAGES, generate_project
from toolspec.code.python_models import python_models
from toolspec.code.python_names import python_schemas
from toolspec.errors import SpecError
from toolspec.spec import read_spec


@pytest.mark.deep
@pytest.mark.parametrize("case", cases(target="upload"), ids=str)
def test_a_hostile_spec_that_can_be_published_gives_code_that_compiles(case):
    try:
        spec = read_spec(case.body)
    except SpecError:
        return
    for language in LANGUAGES:
        for path, text in generate_project(spec, language).items():
            if path.endswith(".py"):
                compile(text, path, "exec")


def large():
    """Schemas that the schema policy allows and that lead to many types."""
    members = {f"p{number}": {"type": "string"} for number in range(450)}
    yield (
        "wide alternatives",
        {**properties(**members), "anyOf": [properties(**{f"q{n}": {}}) for n in range(450)]},
    )
    yield "many classes", properties(**{f"p{n}": properties(a={}) for n in range(900)})
    yield "nested", nested(50)
    chain = {f"d{n}": properties(a={"$ref": f"#/$defs/d{n + 1}"}) for n in range(50)} | {
        "d50": {"type": "string"}
    }
    yield "chain", {**properties(x={"$ref": "#/$defs/d0"}), "$defs": chain}
    yield (
        "unions",
        properties(
            **{
                f"u{k}": {"anyOf": [properties(kind={"const": f"k{n}"}) for n in range(90)]}
                for k in range(3)
            }
        ),
    )


def nested(depth):
    schema = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    return properties(x=schema)


@pytest.mark.deep
@pytest.mark.parametrize("schema", [pytest.param(schema, id=name) for name, schema in large()])
def test_a_large_schema_gives_code_within_the_limits(schema):
    project = generate_project(make_spec("large", parameters=schema, returnType=schema), "python")

    compile(project["src/large_tool/models.py"], "models.py", "exec")


@pytest.mark.slow
@pytest.mark.deep
@pytest.mark.corpora
@pytest.mark.parametrize("corpus", ["specs_mcp", "specs_bfcl", "specs_metatool", "specs_taubench"])
def test_real_specs_give_code_that_compiles_and_imports_with_real_types(corpus, tmp_path):
    from bench.code_generation import import_modules, write_project

    specs = [read_spec(line) for line in corpora.share(corpora.lines(corpus))]
    modules = []
    untyped = 0
    for spec in specs:
        modules += write_project(generate_project(spec, "python"), tmp_path / spec.sha256[:12])
        untyped += any(part.declared for part in python_models(python_schemas(spec)).untyped)

    assert import_modules(modules) == []
    assert untyped <= 0.05 * len(specs)
