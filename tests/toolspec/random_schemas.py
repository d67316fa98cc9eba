"""Small schemas over all keywords, and changes of schemas, from one source of chance."""

from __future__ import annotations

import copy
from random import Random

from tests.toolspec.random_values import NAMES, NUMBERS, TYPES, value

PATTERNS = ("^a", "b$", "^[a-c]$", "1", "")
FORMATS = ("date", "uri", "email", "ipv4", "uri-reference", "unknown")
DRAFTS = {
    "04": "http://json-schema.org/draft-04/schema#",
    "06": "http://json-schema.org/draft-06/schema#",
    "07": "http://json-schema.org/draft-07/schema#",
    "2019-09": "https://json-schema.org/draft/2019-09/schema",
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
}


class Schemas:
    """Makes schemas of one draft."""

    def __init__(self, random: Random, draft: str = "2020-12") -> None:
        self.random = random
        self.draft = draft
        self.age = list(DRAFTS).index(draft)

    def document(self):
        """A whole schema, with definitions to refer to."""
        depth = self.random.choice((0, 1, 1, 2, 2, 3))
        schema = self.an_object_schema(depth)
        schema["$schema"] = DRAFTS[self.draft]
        schema["$defs" if self.age >= 3 else "definitions"] = {
            name: self.an_object_schema(1) for name in ("one", "two")
        }
        return schema

    def schema(self, depth: int):
        if self.age >= 1 and self.random.random() < 0.08:
            return self.random.random() < 0.5
        return self.an_object_schema(depth)

    def an_object_schema(self, depth: int):
        random = self.random
        if random.random() < 0.12:
            reference = {"$ref": random.choice(self.references())}
            return (
                reference if random.random() < 0.6 else reference | self.keywords(max(depth - 1, 0))
            )
        return self.keywords(depth)

    def references(self):
        place = "$defs" if self.age >= 3 else "definitions"
        return (f"#/{place}/one", f"#/{place}/two")

    def keywords(self, depth: int):
        random = self.random
        schema = {}
        if random.random() < 0.6:
            schema["type"] = (
                random.choice(TYPES)
                if random.random() < 0.7
                else random.sample(TYPES, random.randint(1, 3))
            )
        makers = self.makers(depth, schema.get("type"))
        for maker in random.sample(makers, min(len(makers), random.choice((0, 1, 1, 2, 2, 3)))):
            schema |= maker(depth - 1)
        return schema

    def makers(self, depth, types):
        wanted = TYPES if types is None else [types] if isinstance(types, str) else types
        found = [self.enum]
        if "string" in wanted:
            found += [self.lengths, self.pattern, self.format]
        if "integer" in wanted or "number" in wanted:
            found += [self.bounds, self.bounds, self.multiple]
        if "object" in wanted:
            found += [self.required, self.size_of_object]
            if depth > 0:
                found += [self.properties] * 3 + [self.additional, self.patterns, self.dependent]
                found += [self.names] if self.age >= 1 else []
                found += [self.unevaluated_properties] if self.age >= 3 else []
        if "array" in wanted:
            found += [self.size_of_array, self.unique]
            if depth > 0:
                found += [self.items] * 2 + ([self.contains] if self.age >= 1 else [])
                found += [self.unevaluated_items] if self.age >= 3 else []
        if depth > 0:
            found += [self.union, self.union, self.all_of, self.negation]
            found += [self.condition] if self.age >= 2 else []
        return found

    def enum(self, _depth):
        values = [self.value(1) for _ in range(self.random.randint(1, 4))]
        unique = [
            value
            for index, value in enumerate(values)
            if repr(value) not in map(repr, values[:index])
        ]
        if self.age >= 1 and self.random.random() < 0.4:
            return {"const": unique[0]}
        return {"enum": unique}

    def value(self, depth: int):
        return value(self.random, depth)

    def lengths(self, _depth):
        return self.some(
            {"minLength": self.random.randint(0, 3), "maxLength": self.random.randint(0, 4)}
        )

    def some(self, members):
        chosen = {name: value for name, value in members.items() if self.random.random() < 0.6}
        return chosen or members

    def pattern(self, _depth):
        return {"pattern": self.random.choice(PATTERNS)}

    def format(self, _depth):
        return {"format": self.random.choice(FORMATS)}

    def bounds(self, _depth):
        random = self.random
        low, high = random.choice(NUMBERS), random.choice(NUMBERS)
        if self.age == 0:
            beyond = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}
            chosen = self.some({"minimum": low, "maximum": high})
            return chosen | {
                beyond[name]: random.random() < 0.7 for name in chosen if random.random() < 0.6
            }
        names = random.choice((("minimum", "maximum"), ("exclusiveMinimum", "exclusiveMaximum")))
        return self.some({names[0]: low, names[1]: high})

    def multiple(self, _depth):
        return {"multipleOf": self.random.choice((1, 2, 3, 4, 0.5))}

    def required(self, _depth):
        names = self.random.sample(NAMES, self.random.randint(1, 2))
        return {"required": names}

    def size_of_object(self, _depth):
        return self.some(
            {"minProperties": self.random.randint(0, 2), "maxProperties": self.random.randint(0, 3)}
        )

    def size_of_array(self, _depth):
        return self.some(
            {"minItems": self.random.randint(0, 2), "maxItems": self.random.randint(0, 3)}
        )

    def unique(self, _depth):
        return {"uniqueItems": self.random.random() < 0.8}

    def properties(self, depth):
        names = self.random.sample(NAMES, self.random.randint(1, 3))
        found = {"properties": {name: self.schema(depth) for name in names}}
        if self.random.random() < 0.4:
            found["required"] = self.random.sample(names, 1)
        if self.random.random() < 0.3:
            found["additionalProperties"] = False
        return found

    def additional(self, depth):
        return {
            "additionalProperties": self.schema(depth) if self.age else self.random.random() < 0.5
        }

    def patterns(self, depth):
        names = self.random.sample(PATTERNS, self.random.randint(1, 2))
        return {"patternProperties": {name: self.schema(depth) for name in names}}

    def names(self, depth):
        return {"propertyNames": self.schema(min(depth, 0))}

    def dependent(self, depth):
        name, needed = self.random.sample(NAMES, 2)
        if self.random.random() < 0.5:
            return {"dependencies" if self.age < 3 else "dependentRequired": {name: [needed]}}
        return {
            "dependencies" if self.age < 3 else "dependentSchemas": {
                name: self.an_object_schema(depth)
            }
        }

    def items(self, depth):
        first = [self.schema(depth) for _ in range(self.random.randint(1, 2))]
        if self.random.random() < 0.5:
            return {"items": self.schema(depth)}
        if self.age == 4:
            return {"prefixItems": first} | (
                {"items": self.schema(depth)} if self.random.random() < 0.6 else {}
            )
        return {"items": first} | (
            {"additionalItems": self.schema(depth) if self.age else False}
            if self.random.random() < 0.6
            else {}
        )

    def contains(self, depth):
        found = {"contains": self.schema(depth)}
        if self.age >= 3:
            counts = {
                "minContains": self.random.randint(0, 2),
                "maxContains": self.random.randint(1, 3),
            }
            found |= self.some(counts) if self.random.random() < 0.5 else {}
        return found

    def union(self, depth):
        branches = [self.schema(depth) for _ in range(self.random.randint(1, 3))]
        return {self.random.choice(("anyOf", "oneOf")): branches}

    def all_of(self, depth):
        return {"allOf": [self.schema(depth) for _ in range(self.random.randint(1, 2))]}

    def negation(self, depth):
        return {"not": self.schema(depth)}

    def condition(self, depth):
        found = {"if": self.schema(depth)}
        return found | self.some({"then": self.schema(depth), "else": self.schema(depth)})

    def unevaluated_properties(self, depth):
        found = {
            "unevaluatedProperties": self.schema(depth) if self.random.random() < 0.4 else False
        }
        return found | self.in_place(depth, self.properties)

    def unevaluated_items(self, depth):
        found = {"unevaluatedItems": self.schema(depth) if self.random.random() < 0.4 else False}
        return found | self.in_place(depth, self.items)

    def in_place(self, depth, make):
        """Something that evaluates members or items, in some branch."""
        how = self.random.choice(("here", "allOf", "anyOf", "oneOf", "if", "$ref"))
        if how == "here":
            return make(depth)
        if how == "$ref":
            return {"$ref": self.random.choice(self.references())}
        if how == "if":
            return {"if": make(depth), "then": make(depth)}
        return {how: [make(depth) for _ in range(self.random.randint(1, 2))]}

    # Changes.

    def changed(self, document, times: int = 1):
        """`document` with some of its subschemas changed a little."""
        document = copy.deepcopy(document)
        for _ in range(times):
            self.change(self.random.choice(list(objects_in(document))))
        return document

    def change(self, schema):
        random = self.random
        keywords = [name for name in schema if name not in {"$schema", "$defs", "definitions"}]
        what = random.random()
        if what < 0.3 or not keywords:
            made = self.keywords(random.choice((0, 1, 1, 2)))
            for name in random.sample(list(made), min(len(made), 1)):
                schema[name] = made[name]
        elif what < 0.5:
            del schema[random.choice(keywords)]
        elif what < 0.65:
            self.wrap(schema, keywords)
        else:
            self.tweak(schema, random.choice(keywords))

    def wrap(self, schema, keywords):
        """The same constraints in another form, or nearly the same."""
        moved = {name: schema.pop(name) for name in keywords}
        how = self.random.choice(("allOf", "anyOf", "oneOf", "split"))
        if how == "split" and len(moved) > 1:
            names = list(moved)
            schema["allOf"] = [{name: moved[name]} for name in names]
            return
        extra = [self.schema(0)] if self.random.random() < 0.4 else []
        schema["allOf" if how == "split" else how] = [moved, *extra]

    def tweak(self, schema, name):
        random, value = self.random, schema[name]
        if isinstance(value, bool) and name not in {"enum", "const"}:
            schema[name] = not value
        elif isinstance(value, int | float) and name != "const":
            schema[name] = max(value + random.choice((-1, 1)), 1 if name == "multipleOf" else 0)
        elif isinstance(value, list) and len(value) > 1:
            value.pop(random.randrange(len(value)))
        elif isinstance(value, list) and name == "enum":
            value.append(self.value(1))
        elif name == "type" and isinstance(value, str):
            other = random.choice(TYPES)
            schema[name] = other if random.random() < 0.5 or other == value else [value, other]
        elif name in {"properties", "patternProperties"}:
            self.tweak_members(value, NAMES if name == "properties" else PATTERNS)
        elif name in {"anyOf", "oneOf", "allOf"}:
            value.append(self.schema(1))
        elif name == "$ref":
            schema[name] = random.choice(self.references())

    def tweak_members(self, members, names):
        name = self.random.choice(names)
        if name in members:
            del members[name]
        else:
            members[name] = self.schema(1)


def objects_in(schema):
    """Every subschema that is an object."""
    if not isinstance(schema, dict):
        return
    yield schema
    for name, held in schema.items():
        if name in {"enum", "const", "default", "examples"}:
            continue
        inner = held if isinstance(held, list) else [held]
        if name in {
            "properties",
            "patternProperties",
            "$defs",
            "definitions",
            "dependentSchemas",
            "dependencies",
        }:
            inner = list(held.values())
        elif isinstance(held, dict) and name == "dependentRequired":
            inner = []
        for one in inner:
            yield from objects_in(one)
