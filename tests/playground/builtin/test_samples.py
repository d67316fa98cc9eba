from collections import Counter
from pathlib import Path

import pytest

from playground.builtin.shipped import SPECS
from toolspec.schema.validation import compile_schema
from toolspec.spec import read_spec

SAMPLES = Path(SPECS).parents[1] / "samples"
FILES = sorted((SAMPLES / "specs").glob("*.json"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_sample_is_a_spec_and_its_file_has_its_slug(file):
    spec = read_spec(file.read_bytes())

    assert file.stem == spec.slug
    assert all(
        compile_schema(schema)
        for schema in (spec.parameters, spec.return_type)
        if schema is not None
    )


def test_samples_and_built_in_tools_have_different_ids():
    ids = Counter(read_spec(file.read_bytes()).tool_id for file in [*FILES, *SPECS.glob("*.json")])

    assert [tool_id for tool_id, times in ids.items() if times > 1] == []


def test_the_notice_names_the_source_of_every_sample_and_of_nothing_else():
    rows = (SAMPLES / "NOTICE").read_text(encoding="utf-8").partition("FILES |")[2].splitlines()[1:]
    named = {
        pattern.strip().removesuffix(".*")
        for row in rows
        for pattern in row.partition(" | ")[0].split(",")
    }

    assert named == {file.name.partition(".")[0] for file in FILES}


def test_the_samples_cover_the_features_of_schemas():
    texts = [file.read_text(encoding="utf-8") for file in FILES]
    keywords = [
        "$ref",
        "oneOf",
        "anyOf",
        "const",
        "enum",
        "dependentRequired",
        "returnType",
        "draft-07",
        "pattern",
    ]

    assert {
        keyword: any(keyword in text for text in texts) for keyword in keywords
    } == dict.fromkeys(keywords, True)


def test_both_licences_are_shipped():
    assert {file.name for file in (SAMPLES / "LICENSES").iterdir()} == {"MIT.txt", "Apache-2.0.txt"}
