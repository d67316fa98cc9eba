"""Values at random: any, and such as a schema may accept."""

from __future__ import annotations

from random import Random

NAMES = ("a", "b", "c", "ab", "x1")
OTHER_NAMES = (*NAMES, "d", "b1")
TEXTS = (
    "",
    "a",
    "b",
    "ab",
    "abc",
    "x1",
    "2025-03-14",
    "https://example.com/",
    "ada@example.com",
    "192.0.2.1",
    "é",
)
NUMBERS = (-2, -1, 0, 1, 2, 3, 4, 6, 10)
TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
IN_PLACE = ("anyOf", "oneOf", "allOf", "then", "else", "if", "dependentSchemas")


def value(random: Random, depth: int):
    """Any value."""
    kind = random.randrange(7 if depth > 0 else 5)
    if kind == 0:
        return random.choice(TEXTS)
    if kind == 1:
        return random.choice(NUMBERS)
    if kind == 2:
        return random.choice((0.5, 1.0, 1.5, 2.0, -0.5, 7))
    if kind == 3:
        return random.choice((True, False, None))
    if kind == 4:
        return random.choice(([], {}, "a", 1))
    if kind == 5:
        return [value(random, depth - 1) for _ in range(random.randint(0, 4))]
    names = random.sample(OTHER_NAMES, random.randint(0, 4))
    return {name: value(random, depth - 1) for name in names}


def values_like(random: Random, schema, document, depth: int = 4):
    """A value that `schema` may accept, made on the way through it without much care."""
    if not isinstance(schema, dict) or depth <= 0 or random.random() < 0.06:
        return value(random, 2)
    if "$ref" in schema and random.random() < 0.8:
        return values_like(random, target_of(schema["$ref"], document), document, depth - 1)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema and random.random() < 0.9:
        return random.choice(schema["enum"])
    for keyword in random.sample(IN_PLACE, len(IN_PLACE)):
        if keyword in schema and random.random() < 0.4:
            return like_a_branch(random, keyword, schema, document, depth)
    types = schema.get("type") or guessed(random, schema)
    return of_type(
        random, random.choice(types) if isinstance(types, list) else types, schema, document, depth
    )


def target_of(reference, document):
    for token in reference.split("/")[1:]:
        document = document[token]
    return document


def like_a_branch(random, keyword, schema, document, depth):
    inner = schema[keyword]
    inner = list(inner.values()) if keyword == "dependentSchemas" else inner
    made = values_like(
        random, random.choice(inner) if isinstance(inner, list) else inner, document, depth - 1
    )
    if isinstance(made, dict) and "properties" in schema:
        return an_object(random, schema, document, depth) | made
    return made


def of_type(random, kind, schema, document, depth):
    if kind == "object":
        return an_object(random, schema, document, depth)
    if kind == "array":
        return an_array(random, schema, document, depth)
    if kind in {"integer", "number"}:
        return a_number(random, kind, schema)
    if kind == "string":
        return (
            random.choice(TEXTS)
            if random.random() < 0.7
            else "ab1"[: random.randint(0, 3)] * random.randint(1, 2)
        )
    return random.choice((True, False)) if kind == "boolean" else None


def a_number(random, kind, schema):
    bounds = [schema[name] for name in schema if name.lower().endswith(("minimum", "maximum"))]
    base = float(
        random.choice([bound for bound in bounds if not isinstance(bound, bool)] or NUMBERS)
    )
    base = int(base) if base.is_integer() else base
    return base + random.choice((0, 0, 1, -1, 0.5 if kind == "number" else 2))


def guessed(random, schema):
    hints = {
        "object": ("properties", "required", "additionalProperties", "patternProperties", "propertyNames",
                   "minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "dependencies",
                   "unevaluatedProperties"),
        "array": ("items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems", "unevaluatedItems"),
        "string": ("minLength", "maxLength", "pattern", "format"),
        "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    }  # fmt: skip
    fitting = [kind for kind, words in hints.items() if any(word in schema for word in words)]
    return fitting if fitting and random.random() < 0.8 else list(TYPES)


def an_object(random, schema, document, depth):
    made = {}
    properties = schema.get("properties", {})
    for name in [*properties, *schema.get("required", [])]:
        if name in schema.get("required", []) or random.random() < 0.5:
            made[name] = values_like(random, properties.get(name, True), document, depth - 1)
    while random.random() < 0.3:
        other = schema.get("additionalProperties", schema.get("unevaluatedProperties", True))
        made.setdefault(random.choice(OTHER_NAMES), values_like(random, other, document, depth - 1))
    for inner in schema.get("patternProperties", {}).values():
        if random.random() < 0.6:
            made.setdefault(
                random.choice(OTHER_NAMES), values_like(random, inner, document, depth - 1)
            )
    return made


def an_array(random, schema, document, depth):
    items, first = schema.get("items", True), schema.get("prefixItems", [])
    if isinstance(items, list):
        first, items = items, schema.get("additionalItems", True)
    length = random.randint(0, 4)
    made = []
    for index in range(length):
        inner = first[index] if index < len(first) else items
        if "contains" in schema and random.random() < 0.3:
            inner = schema["contains"]
        made.append(values_like(random, inner, document, depth - 1))
    return made
