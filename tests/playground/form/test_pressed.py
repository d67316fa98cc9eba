"""Forms in careless hands: anything typed anywhere, any button pressed, under schemas that make little sense.

Whatever comes of it, the page stays whole: what was typed is still there, the same page comes of the same form, each
id stands once, one control at most gets the focus, and each line of the summary of errors leads somewhere.
"""

import random
from collections import Counter

import pytest

from playground import form as schema_form
from playground.templatetags.forms import draw_form
from tests.playground.form.driver import Page
from tests.playground.form.pairs import same
from tests.playground.form.use import FormInUse
from toolspec.schema.validation import compile_schema
from toolspec.text.reader import Number

NAMES = ["a", "b", "c", "", "a/b", "a~b", "op", "__proto__", '"<b', "%2F", "@0", "a\nb"]
LEAVES = [
    *(
        {"type": kind}
        for kind in ("string", "integer", "number", "boolean", "null", "array", "object")
    ),
    *({"const": value} for value in (1, "a", None, Number("1.0"), [1])),
    {"enum": [1, "a", None, {}]},
    {"enum": ["", [], True, Number("2.0")]},
    {"type": ["string", "null"]},
    {"type": ["integer", "string", "object"]},
    *({"type": "string", "format": word} for word in ("date", "time", "password", "email")),
    {"type": "string", "contentEncoding": "base64"},
    True,
    False,
    {},
]
VALUES = [
    1,
    0,
    "",
    "a",
    "x\n",
    "\n",
    None,
    True,
    False,
    Number("1.0"),
    Number("-0"),
    "\x00",
    "\ud800",
    "\ufeff",
    "\n\n",
    "a\r\nb",
    " a ",
    "{}",
    10**30,
    Number("-0.10e-7"),
    "1",
    "true",
]
TEXTS = {
    "n": ["", "1", "1.50", "1,"],
    "e": ["", "{", '{"a": 1}', "[1, 2", "nul"],
    "k": ["", "a", "q"],
    "nk": ["", "a", "x2"],
}
TYPED = {"t", "n", "e", "k", "nk", "q"}


class Drawn:
    """Schemas, values and presses, drawn at random; the same for the same seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def some(self, things, most):
        return self.random.sample(things, self.random.randint(0, min(most, len(things))))

    def perhaps(self, share=0.25):
        return self.random.random() < share

    def schema(self, depth=0):
        if depth > 3 or self.perhaps():
            return self.random.choice(LEAVES)
        makers = [self.object, self.object, self.array, self.union, self.both]
        if depth:
            makers.append(lambda _depth: {"$ref": "#"})
        return self.random.choice(makers)(depth + 1)

    def object(self, depth):
        names = self.some(NAMES, 4)
        schema = {"type": "object", "properties": {name: self.schema(depth) for name in names}}
        schema["required"] = self.some([*names, "z"], 2)
        for keyword in ("additionalProperties", "unevaluatedProperties"):
            if self.perhaps():
                schema[keyword] = self.schema(depth)
        if self.perhaps():
            schema["dependentSchemas"] = {"a": self.schema(depth)}
        if self.perhaps():
            schema |= {
                "if": {"required": ["a"]},
                "then": self.schema(depth),
                "else": self.schema(depth),
            }
        return schema

    def array(self, depth):
        schema = {
            "type": "array",
            "items": self.schema(depth),
            "minItems": self.random.randint(0, 2),
        }
        if self.perhaps():
            schema["prefixItems"] = [self.schema(depth)]
        return schema | ({"uniqueItems": True} if self.perhaps() else {})

    def union(self, depth):
        keyword = self.random.choice(["oneOf", "anyOf"])
        return {keyword: [self.schema(depth) for _ in range(self.random.randint(1, 4))]}

    def both(self, depth):
        return {"allOf": [self.schema(depth), self.schema(depth)]}

    def value(self, depth=0):
        if depth > 2 or self.perhaps(0.5):
            return self.random.choice(VALUES)
        if self.perhaps(0.5):
            return [self.value(depth + 1) for _ in range(self.random.randint(0, 3))]
        return {name: self.value(depth + 1) for name in self.some([*NAMES, "x1", "zz"], 4)}

    def type_somewhere(self, form):
        controls = [control for control in form.page.controls if control.tag != "button"]
        for control in self.random.sample(controls, min(4, len(controls))):
            name = control.attributes["name"]
            tag = name.split(":")[1]
            if control.tag == "select":
                options = [option.attributes.get("value") or "" for option in control.css("option")]
                form.typed[name] = [self.random.choice(options)]
            elif tag in TYPED and "readonly" not in control.attributes:
                form.typed[name] = [
                    self.random.choice(TEXTS.get(tag, ["", "x", "null", "two words"]))
                ]

    def press_something(self, form):
        form._post(
            self.random.choice(
                [
                    *sorted(form.page.buttons),
                    "parameters:view::json",
                    "parameters:view::fields",
                    None,
                ]
            )
        )


def texts(page):
    """The text in the controls to type in."""
    found = Counter()
    for control in page.controls:
        tag = [*control.attributes["name"].split(":"), ""][1]
        if control.tag != "button" and tag in TYPED and control.attributes.get("type") != "hidden":
            found[
                control.text(deep=True)
                if control.tag == "textarea"
                else control.attributes.get("value") or ""
            ] += 1
    return found


def look_at(form):
    again = schema_form.read_submission(
        form.schema, form.page.submit(), name="parameters", is_checked=False
    )
    page = draw_form(again.form)
    ids = [element.attributes["id"] for element in form.page.select("[id]")]

    assert texts(form.page) - texts(Page(page)) - Counter({"": 1000}) == Counter()
    assert (
        draw_form(
            schema_form.read_submission(
                form.schema, Page(page).submit(), name="parameters", is_checked=False
            ).form
        )
        == page
    )
    assert len(ids) == len(set(ids))
    assert len(form.page.select("[autofocus]")) <= 1
    assert all(form.page.by_id(error.target) is not None for error in form.submission.form.errors)


@pytest.mark.deep
@pytest.mark.parametrize("part", range(2))
def test_whatever_is_typed_and_pressed_the_page_stays_whole(part):
    for seed in range(part, 120, 2):
        drawn = Drawn(seed)
        schema, value = drawn.schema(), drawn.value()
        compile_schema(schema)
        form = FormInUse(schema, value).send()
        assert same(form.value, value), seed
        for _ in range(6):
            drawn.type_somewhere(form)
            drawn.press_something(form)
            look_at(form)
