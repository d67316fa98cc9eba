"""T5 of the forms: every error is shown at its control, and none is lost."""

from dataclasses import dataclass, field

import pytest
from django.utils.text import capfirst

from playground import form as schema_form
from playground.form.control_names import member_path
from playground.form.nodes import children
from playground.form.to_value import read
from playground.templatetags.forms import draw_form
from tests.corpora import expected
from tests.playground.form.driver import Page
from tests.playground.form.pairs import REAL_CASES, SUITE, Pair, pairs_of
from toolspec.schema.validation import compile_schema

MISSING = {"required", "dependentRequired", "dependencies"}
COUNTS = {"minItems", "minProperties", "contains"}


def submitted(schema, value):
    compiled = compile_schema(schema)
    page = Page(draw_form(schema_form.begin(compiled, value, name="parameters").form))
    return schema_form.read_submission(compiled, page.submit(), name="parameters")


def messages_at_controls(page):
    """The messages that an invalid control is described by, and the ids of these controls."""
    found = {}
    for control in page.select("[aria-invalid=true]"):
        for name in (control.attributes["aria-describedby"] or "").split():
            for message in page.by_id(name).css(".field-error"):
                found.setdefault(message.text().strip().removeprefix("Error: "), []).append(
                    control.attributes.get("id") or ""
                )
    return found


REQUESTS = ("Enter ", "Choose ", "Add ")


def leaves(violations, nodes, paths):
    """Each violation that a person is to read, and the path of the node that it is about; of a union, its branch."""
    for violation in violations:
        path = paths.get(violation.pointer, "")
        node = nodes.get(path)
        index = dict(node.head.branches).get(violation.schema_pointer) if node else None
        if index is not None and index < len(violation.branches) and violation.branches[index]:
            yield from leaves(violation.branches[index], nodes, paths)
        elif (
            violation.keyword in {"required", "dependentRequired", "dependencies"}
            and violation.names
        ):
            yield from ((violation, member_path(path, name)) for name in violation.names)
        else:
            yield violation, path


def nodes_of(form):
    found = [form.root]
    for node in found:
        found += children(node)
    return {node.head.path: node for node in found}


@dataclass
class Tally:
    """How many errors were looked at, which stood at a node around their own, and what was wrong."""

    errors: int = 0
    above: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def is_asked_for_below(self, path, nodes):
        below = (
            node for other, node in nodes.items() if other.rpartition("/")[0] == path and other
        )
        return any(message.startswith(REQUESTS) for node in below for message in node.head.errors)

    def look_at(self, pair: Pair) -> None:
        submission = submitted(pair.schema, pair.value)
        checked = compile_schema(pair.schema).check(submission.value)
        page = Page(draw_form(submission.form))
        shown = messages_at_controls(page)
        nodes = nodes_of(submission.form)
        paths = read(submission.draft).paths
        summaries = [summary.message for summary in submission.form.errors]
        messages = {*summaries, *(text.partition(": ")[2] for text in summaries)}
        if any(page.by_id(summary.target) is None for summary in submission.form.errors):
            self.complaints.append(f"{pair}: the summary links to no control")
        for violation, path in leaves(checked.violations, nodes, paths):
            self.errors += 1
            if (
                violation.keyword in MISSING and violation.names and path in nodes
            ):  # it is asked for at its field
                asked = nodes[path].head.errors
                if (
                    len(asked) != 1
                    or not asked[0].startswith(REQUESTS)
                    or not set(asked) <= messages
                ):
                    self.complaints.append(f"{pair}: {path} is not asked for; messages: {asked}")
                continue
            if violation.keyword in COUNTS and self.is_asked_for_below(path, nodes):
                continue
            if capfirst(violation.message) not in shown or not any(
                violation.message in message for message in messages
            ):
                self.complaints.append(f"{pair}: {violation.message!r} is not shown")
            elif not any(
                name.startswith(f"parameters:{path}") for name in shown[capfirst(violation.message)]
            ):
                self.above.append(
                    f"{pair}: {violation.message!r} at {shown[capfirst(violation.message)]}"
                )


@pytest.mark.parametrize("name", [*REAL_CASES, *SUITE])
def test_every_error_is_at_a_control_that_is_described_by_it(name):
    tally = Tally()

    for pair in pairs_of(name):
        if not pair.valid:
            tally.look_at(pair)

    assert not tally.complaints, f"{len(tally.complaints)}\n" + "\n".join(tally.complaints[:10])
    assert len(tally.above) <= 0.005 * tally.errors, f"{len(tally.above)}\n" + "\n".join(
        tally.above[:10]
    )


def spoiled(value):
    """Values that are likely to be wrong, made from a right one: a part of another kind, a part less, a part more."""
    if not isinstance(value, dict):
        yield {"not": value}
        return
    yield {**value, "no such member": 1}
    for name, member in value.items():
        yield {other: part for other, part in value.items() if other != name}
        for wrong in (None, [member], {"in": member}, "spoiled", -1):
            yield {**value, name: wrong}
        if isinstance(member, dict):
            yield from ({**value, name: inner} for inner in spoiled(member))
        if isinstance(member, list) and member and isinstance(member[0], dict):
            yield from ({**value, name: [inner, *member[1:]]} for inner in spoiled(member[0]))


@pytest.mark.deep
@pytest.mark.corpora
@pytest.mark.parametrize("name", ["toolcall_pairs", "bfcl_pairs"])
def test_errors_in_real_calls_are_shown_at_their_controls(name):
    tally = Tally()

    for number, pair in enumerate(pairs_of(name)[:: expected(selection=1, full=4)]):
        for value in list(spoiled(pair.value))[number % 3 :: 3]:
            tally.look_at(Pair(f"{pair} {value}", pair.schema, value, None))

    assert tally.errors > 200
    assert not tally.complaints, f"{len(tally.complaints)}\n" + "\n".join(tally.complaints[:10])
    assert len(tally.above) <= 0.005 * tally.errors, f"{len(tally.above)}\n" + "\n".join(
        tally.above[:10]
    )


def test_violations_in_json_text_have_their_line_and_column():
    schema = compile_schema(
        {"properties": {"a": {"type": "integer"}, "b": {"maxItems": 1}}, "required": ["c"]}
    )
    page = Page(draw_form(schema_form.begin(schema, {}, name="parameters").form))
    pairs = [*page.submit(), ("op", "parameters:view::json")]
    as_json = Page(draw_form(schema_form.read_submission(schema, pairs, name="parameters").form))
    typed = '{\n "b": [1, 2],\n "a": "é"}'
    pairs = [(name, typed if text.strip() == "{}" else text) for name, text in as_json.submit()]

    form = schema_form.read_submission(schema, pairs, name="parameters").form

    assert [(mark.line, mark.column) for mark in form.root.marks] == [(1, 1), (2, 7), (3, 7)]
    assert [message.rpartition(" (")[2] for message in form.root.head.errors] == [
        f"line {mark.line}, column {mark.column})" for mark in form.root.marks
    ]
    assert [error.message for error in form.errors] == [
        '"c" is missing, line 1',
        "b: must have at most 1 item, line 2",
        "a: must be an integer, line 3",
    ]
    assert [error.mark for error in form.errors] == list(form.root.marks)
