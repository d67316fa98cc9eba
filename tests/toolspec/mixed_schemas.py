"""Random valid schemas of one draft with keywords of all drafts, odd names, numbers and references."""

from __future__ import annotations

from random import Random

from tests.toolspec.random_schemas import DRAFTS, Schemas, objects_in
from tests.toolspec.random_values import NAMES
from toolspec.schema.dialects import DIALECTS, Holds, find_dialect
from toolspec.text.reader import loads

ODD_NAMES = (
    "__proto__", "constructor", "", "~", "/", "~1", "%", "%41", "%zz", " ", "0", "-", "#", ".", "a/b", "a\u0001b", "é",
    "e\u0301", "\u202e", "😀", "class", "self", "None", "model_config", "$ref", "$defs", "$schema", "$id", "properties",
    "items", "prefixItems", "required", "enum", "type", "x" * 300,
)  # fmt: skip
ODD_NUMBERS = tuple(
    loads(text)
    for text in (
        "1.7e308",
        "-1.7e308",
        "1e-999",
        "-0.0",
        "1.0",
        "9007199254740993",
        "1" + "0" * 299,
        "0.1000000000000001",
    )
)
ODD_PATTERNS = (
    "[^]",
    "[]",
    "\\p{L}",
    "(?<!a)b",
    "^(?=a)",
    "(a)\\1",
    "\\/",
    "a{0}",
    "$^",
    "(?<n>a)\\k<n>",
)
ANNOTATIONS = (
    "default",
    "examples",
    "title",
    "description",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$comment",
)
EVERY_KEYWORD = sorted(frozenset().union(*(dialect.keywords for dialect in DIALECTS)))
HELD = {keyword: how for dialect in DIALECTS for keyword, how in dialect.holds.items()}


class MixedSchemas(Schemas):
    """Makes schemas of one draft with keywords of all others, whose values are anything: the draft ignores them."""

    def __init__(self, random: Random, draft: str) -> None:
        super().__init__(random, draft)
        self.dialect = find_dialect(DRAFTS[draft])
        self.ignored = [
            keyword for keyword in EVERY_KEYWORD if keyword not in self.dialect.keywords
        ]

    def document(self):
        random = self.random
        schema = super().document()
        for holder in ("$defs", "definitions"):
            if random.random() < 0.8:
                schema[holder] = {
                    name: self.an_object_schema(1)
                    for name in ("one", "two", random.choice(ODD_NAMES))
                }
        for inner in list(objects_in(schema)):
            if random.random() < 0.5:
                inner.update(self.ignored_keywords())
            if random.random() < 0.2:
                inner.update(self.annotation())
            if random.random() < 0.1:
                inner.update(self.identity())
        if random.random() < 0.6:
            schema["type"] = "object"
        return (
            schema if random.random() < 0.9 else {"$schema": schema["$schema"], "allOf": [schema]}
        )

    def references(self):
        other = "#/definitions/one" if self.age >= 3 else "#/$defs/one"
        return (*super().references(), "#", "#one", other)

    def ignored_keywords(self):
        """Keywords of other drafts and of none."""
        chosen = self.random.sample(
            [*self.ignored, "x-other", "nullable", "discriminator"], self.random.randint(1, 3)
        )
        return {keyword: self.any_form(keyword) for keyword in chosen}

    def any_form(self, keyword):
        random = self.random
        if random.random() < 0.4:
            return random.choice(
                (self.value(2), random.choice(ODD_NUMBERS), "#/$defs/one", "#", "", ["a"])
            )
        schema = self.schema(1)
        forms = {
            Holds.ARRAY: [schema, self.schema(0)],
            Holds.MEMBERS: {random.choice(NAMES): schema},
            Holds.MEMBERS_OR_NAMES: {random.choice(NAMES): random.choice((schema, ["a"]))},
        }
        return forms.get(HELD.get(keyword), schema)

    def annotation(self):
        keyword = self.random.choice(ANNOTATIONS)
        text = self.random.choice(("", "Text.", "*/ {@code } `x` </script>", "a\nb"))
        if keyword in {"deprecated", "readOnly", "writeOnly"}:
            return {keyword: True}
        if keyword == "examples":
            return {keyword: [self.value(2)]}
        return {keyword: self.value(2) if keyword == "default" else text}

    def identity(self):
        random = self.random
        choices = [
            {"$schema": random.choice(list(DRAFTS.values()))},
            {"$id": random.choice(("urn:a", "https://example.com/a", "b", "#one"))},
            {"id": random.choice(("urn:a", "#one", "b"))},
            {"$anchor": "one"},
            {"$recursiveRef": "#"},
            {"$recursiveAnchor": True},
            {"$dynamicRef": "#one"},
            {"$dynamicAnchor": "one"},
            {"$ref": random.choice((*self.references(), DRAFTS[self.draft]))},
        ]
        return random.choice(choices)

    def properties(self, depth):
        found = super().properties(depth)
        if self.random.random() < 0.4:
            name = self.random.choice(ODD_NAMES)
            found["properties"][name] = self.schema(depth)
            found |= {"required": [name]} if self.random.random() < 0.5 else {}
        return found

    def bounds(self, depth):
        found = super().bounds(depth)
        return {
            keyword: self.random.choice(ODD_NUMBERS)
            if not isinstance(bound, bool) and self.random.random() < 0.3
            else bound
            for keyword, bound in found.items()
        }

    def pattern(self, depth):
        return (
            {"pattern": self.random.choice(ODD_PATTERNS)}
            if self.random.random() < 0.5
            else super().pattern(depth)
        )

    def patterns(self, depth):
        found = super().patterns(depth)
        if self.random.random() < 0.3:
            found["patternProperties"][self.random.choice(ODD_PATTERNS)] = self.schema(depth)
        return found

    def enum(self, depth):
        if self.random.random() < 0.15:
            return {"enum": [*self.random.sample(ODD_NUMBERS, 2), None]}
        if self.age >= 1 and self.random.random() < 0.1:
            return {"enum": []}
        return super().enum(depth)
