"""The branch of a union that a form shows follows its tag, wherever the tag stands."""

import pytest

from tests.field import field_input
from tests.playground.form.use import FormInUse

KIND = {"enum": ["card", "iban"]}


def branch(kind, name, **members):
    return {"properties": {"kind": kind, name: {"type": "string"}}, "required": [name], **members}


CARD = branch({"const": "card"}, "number")
IBAN = branch({"const": "iban"}, "iban")


def payment(*branches, union="oneOf", kind=KIND, **members):
    properties = {"kind": kind, "note": {"type": "string"}}
    return {
        "type": "object",
        "properties": properties,
        "required": ["kind"],
        union: list(branches),
        **members,
    }


def select(form, path, text):
    """Choose a value of a list, and update the form."""
    return form.type("j", path, text).press("refresh")


def shown(form, path=""):
    return {
        name.removeprefix(f"{path}/.") for name in form.kinds() if name.startswith(f"{path}/.")
    } - {"kind", "note"}


def test_the_fields_of_the_branch_follow_a_tag_beside_dependent_schemas():
    form = FormInUse(field_input("form-tag-outside-union")["parameters"])

    select(form, "/.kind", '"card"').type("t", "/.number", "4111")
    before = shown(form)
    select(form, "/.kind", '"iban"')

    assert (before, shown(form)) == ({"number"}, {"iban"})
    assert form.type("t", "/.iban", "DE89").send().is_valid
    assert form.value == {"kind": "iban", "iban": "DE89"}


SCHEMAS = {
    "oneOf": payment(CARD, IBAN),
    "anyOf": payment(CARD, IBAN, union="anyOf"),
    "enum of one": payment(
        branch({"enum": ["card"]}, "number"), branch({"enum": ["iban"]}, "iban")
    ),
    "enum of several": payment(
        branch({"enum": ["card", "visa"]}, "number"),
        branch({"enum": ["iban", "sepa", "swift", "bic"]}, "iban"),
        kind={"enum": ["card", "visa", "iban", "sepa", "swift", "bic"]},
    ),
    "references": payment(
        {"$ref": "#/$defs/Card"},
        {"allOf": [{"$ref": "#/$defs/Iban"}]},
        **{"$defs": {"Card": CARD, "Iban": IBAN}},
    ),
    "inside allOf": {**payment(), "allOf": [{"oneOf": [CARD, IBAN]}], "oneOf": [{}]},
    "tag in allOf": {
        "allOf": [{"type": "object", "properties": {"kind": KIND}, "required": ["kind"]}],
        "oneOf": [CARD, IBAN],
    },
    "if and then": {
        **payment(),
        "if": {"required": ["kind"]},
        "then": {"oneOf": [CARD, IBAN]},
        "oneOf": [{}],
    },
    "one branch without a tag": payment(
        {"properties": {"other": {}}, "required": ["kind"]}, CARD, IBAN, union="anyOf"
    ),
    "closed": payment(CARD, IBAN, unevaluatedProperties=False),
}


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_the_fields_of_the_branch_follow_a_tag_outside_the_union(schema):
    form = FormInUse(schema, {"kind": "card", "number": "4111", "note": "n"})
    assert form.submission.form.refresh  # the page updates when the tag changes

    select(form, "/.kind", '"iban"')

    assert "iban" in shown(form)
    assert "number" not in shown(form)
    assert form.type("t", "/.iban", "DE89").send().is_valid
    assert form.value == {"kind": "iban", "iban": "DE89", "note": "n"}


def test_what_was_typed_for_the_earlier_tag_comes_back_with_it():
    form = FormInUse(payment(CARD, IBAN), {"kind": "card", "number": "4111"})

    select(form, "/.kind", '"iban"')
    select(form, "/.kind", '"card"').send()

    assert form.value == {"kind": "card", "number": "4111"}


def test_a_changed_tag_counts_without_an_update():
    form = FormInUse(payment(CARD, IBAN), {"kind": "card", "number": "4111"})

    form.type("j", "/.kind", '"iban"').send()

    assert "iban" in shown(form)
    assert "iban" in " ".join(form.messages)


@pytest.mark.parametrize("inside", ["payment", "list", "map"])
def test_the_branch_of_a_part_follows_its_own_tag(inside):
    part = payment(CARD, IBAN)
    card = {"kind": "card", "number": "4111"}
    schema, value, path = {
        "payment": ({"properties": {"payment": part}}, {"payment": card}, "/.payment"),
        "list": ({"type": "array", "items": part}, [card, card], "/@1"),
        "map": ({"type": "object", "additionalProperties": part}, {"a": card}, "/.a"),
    }[inside]
    form = FormInUse(schema, value)
    if inside == "map":
        path = next(name for name in form.kinds() if name.endswith("/.kind")).removesuffix("/.kind")

    select(form, f"{path}/.kind", '"iban"')

    assert "iban" in shown(form, path)
    assert "number" not in shown(form, path)


def test_a_tag_inside_another_member_decides():
    def of_type(name, member):
        meta = {"properties": {"type": {"const": name}}}
        return {"properties": {"meta": meta, member: {"type": "string"}}, "required": [member]}

    meta = {"type": "object", "properties": {"type": {"enum": ["a", "b"]}}, "required": ["type"]}
    schema = {
        "type": "object",
        "properties": {"meta": meta},
        "required": ["meta"],
        "oneOf": [of_type("a", "x"), of_type("b", "y")],
    }
    form = FormInUse(schema, {"meta": {"type": "a"}, "x": "1"})

    select(form, "/.meta/.type", '"b"')

    assert "y" in shown(form)
    assert "x" not in shown(form)


@pytest.mark.parametrize("required", [["kind"], []], ids=["required", "optional"])
def test_a_new_form_shows_the_branch_of_the_default_tag(required):
    form = FormInUse(
        {**payment(CARD, IBAN, kind={**KIND, "default": "iban"}), "required": required}
    )

    assert "iban" in shown(form)
    assert "number" not in shown(form)


def test_a_branch_that_is_selected_brings_its_tag():
    form = FormInUse(payment(CARD, IBAN), {"kind": "card", "number": "4111"})

    form.pick_branch("", "/oneOf=1").type("t", "/.iban", "DE89").send()

    assert form.value == {"kind": "iban", "iban": "DE89"}


@pytest.mark.parametrize(
    "value",
    [
        {"kind": "card", "iban": "DE89"},
        {"kind": "cash", "number": "4111"},
        {"kind": "iban", "number": "4111"},
        {"number": "4111", "iban": "DE89"},
        {"kind": ["card"]},
        {},
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["oneOf", "tag in allOf", "closed"])
def test_a_value_that_fits_no_branch_comes_back_unchanged(kind, value):
    assert FormInUse(SCHEMAS[kind], value).send().value == value
