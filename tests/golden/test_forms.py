"""Forms: the controls that are drawn for a schema and a value, and the value that comes back from them."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.golden.expected import Case, check, computed_once, digest, short
from tests.golden.inputs import dumps, loads, rows
from tests.playground.form.driver import values_of
from tests.playground.form.use import FormInUse

EVERY = 2
PRESSED_EVERY = 3
PRESSES = 5
CHOICES = 2
FILES = ("form_pairs", "toolcall_pairs")


def pairs():
    for name in FILES:
        for number, row in list(enumerate(rows(name)))[::EVERY]:
            if "\\u0000" not in row:
                pair = loads(row, max_bytes=10_000_000)
                yield f"{name} {number}", pair["schema"], pair["instance"]


@computed_once
def drawn():
    for index, (name, schema, value) in enumerate(pairs()):
        empty, form = FormInUse(schema), FormInUse(schema, value)
        first = form.page
        form.send()
        facts = {
            "empty": controls_of(empty.page),
            "drawn": controls_of(first),
            "sent": controls_of(form.page),
            "value": short(json_text(form.value), 100),
            "pressed": pressed(schema, value, first) if index % PRESSED_EVERY == 0 else "",
            "problems": short(
                [f"{problem.rule} {problem.pointer}" for problem in form.submission.problems]
            ),
        }
        pages = [words_of(page) for page in (empty.page, first, form.page)]
        messages = [problem.message for problem in form.submission.problems]
        yield Case(name, {name: value for name, value in facts.items() if value}, [pages, messages])


def json_text(value):
    """`value` with its numbers as they were written; "absent" where there is none."""
    try:
        return dumps(value)
    except (TypeError, ValueError):
        return "absent"


def pressed(schema, value, page):
    """The results of some buttons, and another type and another branch where they can be chosen."""
    found = {}
    verbs = {}
    for button in sorted(page.buttons):
        verbs.setdefault(button.split(":")[1], button)
    for verb, button in list(verbs.items())[:PRESSES]:
        form = FormInUse(schema, value)
        if verb not in {"kind", "branch"}:
            _name, _verb, path, *detail = button.split(":")
            found[verb] = controls_of(form.press(verb, path, *detail).page)[1]
    for tag, choose in (("y", FormInUse.pick_kind), ("v", FormInUse.pick_branch)):
        for path in page.paths(tag)[:CHOICES]:
            options = page.by_name[f"parameters:{tag}:{path}"].css("option")
            for text in [option.attributes.get("value") or "" for option in options][:CHOICES]:
                if text:
                    found[f"{tag} {path} {text}"] = controls_of(
                        choose(FormInUse(schema, value), path, text).page
                    )[1]
    return short(found, 150)


def controls_of(page):
    """How many controls of each type there are, and the digest of their names, types, ids and values."""
    found, types = [], Counter()
    for control in page.select("input, select, textarea, button"):
        attributes = control.attributes
        kind = attributes.get("type") or ""
        types[f"{control.tag} {kind}".strip()] += 1
        is_button = control.tag == "button" or kind in {"submit", "button"}
        values = [attributes.get("value")] if is_button else values_of(control)
        options = [option.attributes.get("value") for option in control.css("option")]
        flags = sorted(
            {"required", "disabled", "readonly", "multiple", "checked"} & attributes.keys()
        )
        bounds = [
            attributes.get(key)
            for key in ("min", "max", "step", "pattern", "maxlength", "minlength")
        ]
        found.append(
            [
                control.tag,
                kind,
                attributes.get("name"),
                attributes.get("id"),
                values,
                options,
                flags,
                bounds,
            ]
        )
    return [" ".join(f"{kind}:{count}" for kind, count in sorted(types.items())), digest(found)]


def words_of(page):
    labels = [
        [element.attributes.get(name) for name in ("aria-label", "title", "placeholder")]
        for element in page.select("[aria-label], [title], [placeholder]")
    ]
    text = " ".join(" ".join(element.text(deep=True) for element in page.select("form")).split())
    return [text, labels]


@pytest.mark.parametrize("field", ["facts", "prose"])
def test_the_form_of_a_schema_is_as_before(field):
    check("forms", field, drawn())
