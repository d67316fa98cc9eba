"""Random API documents and tool lists: reference graphs with cycles, missing targets and parts that are malformed."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from urllib.parse import quote

from toolspec.text.pointers import pointer_join

NAMES = (
    "A",
    "B",
    "C",
    "a/b",
    "x~y",
    "with space",
    "é",
    "",
    "0",
    "A_2",
    "$ref",
    "properties",
    "definitions",
)
BAD_REFERENCES = (
    "#", "#/", "#foo", "#/info/title", "#/paths", "#/components", "#/components/schemas/A/required/0",
    "#/components/schemas/%41", "#/components/schemas/A%", "#/%E9", "#/definitions/A/items", "other.yaml",
    "https://example.com/a.json#/A", "#/" + "a" * 3_000, 5, None, [], {},
)  # fmt: skip
JUNK = (
    None, True, False, 0, -1, 10**30, "", "#", "x", "https://example.com/#/z", [], {}, [[]], [None], ["a", "a"],
    {"": None}, {"$ref": 5}, {"$ref": "#"}, {"$ref": "#/paths"}, {"type": 5}, {"type": ["string", 5]},
    {"properties": []}, {"required": "a"}, {"allOf": {}}, {"items": []}, {"enum": {}}, {"nullable": True},
)  # fmt: skip
MEDIA_TYPES = (
    "application/json",
    "application/vnd.x+json; a=b",
    "*/*",
    "",
    "text/plain",
    "multipart/form-data",
)
PLACES = ("path", "query", "header", "cookie", "querystring", "body", "formData", "nowhere")
SIZES = (
    300,
    700,
    1_400,
    1_490,
    1_499,
    1_500,
    1_501,
    2_000,
)  # members of a schema, around the bounds on definitions
DEPTH = 3


class Documents:
    """Makes documents from one source of chance; `swagger` says where definitions stand."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.swagger = False

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def name(self) -> str:
        return self.random.choice(NAMES)

    # References

    def reference(self, kind: str = "schemas"):
        if self.chance(0.06):
            return deepcopy(self.random.choice(BAD_REFERENCES))
        holder = "/definitions" if self.swagger and kind == "schemas" else f"/components/{kind}"
        pointer = pointer_join(holder, self.name())
        if kind == "schemas" and self.chance(0.2):
            pointer += self.random.choice(
                (pointer_join("/properties", self.name()), "/items", "/allOf/0")
            )
        return "#" + (quote(pointer) if self.chance(0.3) else pointer)

    def or_reference(self, kind: str, make):
        return {"$ref": self.reference(kind)} if self.chance(0.35) else make()

    # Schemas

    def schema(self, depth: int = 0):
        drawn = self.random.random()
        if drawn < 0.35:
            beside = {"description": "d", "nullable": True} if self.chance(0.3) else {}
            return {"$ref": self.reference(), **beside}
        if drawn < 0.38:
            return deepcopy(self.random.choice(JUNK))
        if depth > DEPTH:
            return {"type": self.random.choice(("string", "integer", "file", "str", "null"))}
        return self.random.choice(
            (self.object, self.array, self.map, self.combined, self.negated, self.text)
        )(depth)

    def object(self, depth: int):
        members = {self.name(): self.schema(depth + 1) for _ in range(self.random.randint(0, 4))}
        if self.chance(0.04):
            members |= {
                f"m{index}": {"type": "string"} for index in range(self.random.choice(SIZES))
            }
        beside = {"required": [self.name(), self.name()]} if self.chance(0.5) else {}
        return {"type": "object", "properties": members, **beside}

    def array(self, depth: int):
        return {"type": "array", "items": self.schema(depth + 1)}

    def map(self, depth: int):
        return {
            "type": "object",
            "additionalProperties": self.schema(depth + 1),
            "discriminator": {},
        }

    def combined(self, depth: int):
        keyword = self.random.choice(("allOf", "anyOf", "oneOf"))
        return {keyword: [self.schema(depth + 1) for _ in range(self.random.randint(0, 3))]}

    def negated(self, depth: int):
        return {"not": self.schema(depth + 1)}

    def text(self, _depth: int):
        pattern = self.random.choice(("a", "(", "^[a-z]+$"))
        return {
            "type": "string",
            "pattern": pattern,
            "enum": ["a", None],
            "nullable": True,
            "exclusiveMinimum": True,
        }

    # API documents

    def api(self):
        """A document of OpenAPI or Swagger."""
        self.swagger = self.chance(0.3)
        components = {
            "schemas": self.named(self.schema),
            "parameters": self.named(lambda: self.or_reference("parameters", self.parameter)),
            "responses": self.named(lambda: self.or_reference("responses", self.response)),
            "requestBodies": self.named(lambda: self.or_reference("requestBodies", self.body)),
            "headers": self.named(
                lambda: self.or_reference("headers", lambda: {"schema": self.schema()})
            ),
            "pathItems": self.named(lambda: self.or_reference("pathItems", self.path_item)),
            "securitySchemes": self.named(
                lambda: {"type": self.random.choice(("http", "apiKey", "oauth2", 5))}
            ),
        }
        paths = {f"/p{index}": self.or_reference("pathItems", self.path_item) for index in range(3)}
        document = {"info": {"title": "T"}, "paths": paths, "components": components}
        if self.swagger:
            document |= {"swagger": "2.0", "definitions": components["schemas"]}
        else:
            document |= {"openapi": self.random.choice(("3.0.3", "3.1.0", "3.2.0"))}
        return self.damaged(document)

    def named(self, make):
        return {name: make() for name in NAMES if self.chance(0.8)}

    def path_item(self):
        item = {self.random.choice(("get", "post", "put")): self.operation() for _ in range(2)}
        return item | ({"parameters": [self.parameter()]} if self.chance(0.3) else {})

    def operation(self):
        return {
            "operationId": self.name(),
            "parameters": [
                self.or_reference("parameters", self.parameter)
                for _ in range(self.random.randint(0, 3))
            ],
            "requestBody": self.or_reference("requestBodies", self.body),
            "responses": {
                code: self.or_reference("responses", self.response)
                for code in self.random.sample(("200", "201", "2XX", "default", "404"), 2)
            },
            "security": [{self.name(): []}],
            "servers": [
                {"url": "https://{a}", "variables": {"a": {"default": "x", "enum": ["x"]}}}
            ],
        }

    def parameter(self):
        parameter = {"name": self.name(), "in": self.random.choice(PLACES), "schema": self.schema()}
        if self.chance(0.2):
            parameter |= {"type": "array", "items": parameter.pop("schema")}
        return parameter | ({"content": self.content()} if self.chance(0.1) else {})

    def body(self):
        return {"content": self.content()}

    def response(self):
        headers = {"X": self.or_reference("headers", lambda: {"schema": self.schema()})}
        return {
            "content": self.content(),
            "headers": headers,
            **({"schema": self.schema()} if self.swagger else {}),
        }

    def content(self):
        media = {"schema": self.schema()} if self.chance(0.9) else {}
        if self.chance(0.3):
            media["examples"] = {
                "e": self.random.choice(
                    ({"value": {"a": 1}}, {"$ref": "#/components/examples/A"}, 5)
                )
            }
        return {self.random.choice(MEDIA_TYPES): media}

    # Tool lists

    def tools(self):
        """A list of tools of MCP, OpenAI, Anthropic, Gemini or LangChain."""
        self.swagger = True  # their definitions stand in `definitions`
        make = self.random.choice(
            (self.mcp, self.openai, self.anthropic, self.gemini, self.langchain)
        )
        listed = [make() for _ in range(self.random.randint(1, 3))]
        holder = self.random.choice((None, "tools", "functions", "functionDeclarations", "result"))
        return self.damaged({holder: listed} if holder else listed)

    def parameters(self):
        schema = self.schema()
        if not isinstance(schema, dict):
            return schema
        draft = {"$schema": f"http://json-schema.org/draft-0{self.random.choice('4679')}/schema#"}
        return {
            **schema,
            "definitions": self.named(self.schema),
            **(draft if self.chance(0.5) else {}),
        }

    def mcp(self):
        return {
            "name": "a",
            "description": "d",
            "inputSchema": self.parameters(),
            "outputSchema": self.parameters(),
        }

    def openai(self):
        return {
            "type": "function",
            "function": {"name": "a", "description": "d", "parameters": self.parameters()},
        }

    def anthropic(self):
        return {"name": "a", "input_schema": self.parameters(), "input_examples": [self.schema()]}

    def gemini(self):
        schema = {"type": "OBJECT", "properties": {"a": self.schema()}}
        return {"name": "a", "parameters": schema, "response": self.schema()}

    def langchain(self):
        return {
            "title": "a",
            "properties": {"a": self.schema()},
            "definitions": self.named(self.schema),
        }

    # Damage

    def damaged(self, document):
        """`document`, of which up to three values are often replaced by junk."""
        for _ in range(self.random.choice((0, 0, 1, 3))):
            self.damage(document)
        return document

    def damage(self, value) -> None:
        while value:
            key = (
                self.random.choice(list(value))
                if isinstance(value, dict)
                else self.random.randrange(len(value))
            )
            if not isinstance(value[key], dict | list) or not value[key] or self.chance(0.15):
                value[key] = deepcopy(self.random.choice(JUNK))
                return
            value = value[key]
