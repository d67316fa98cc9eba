"""Measure tools whose specs have almost 1 MiB: CPU seconds and size of each answer, in one process.

    .venv/bin/python -m bench.large_specs [--only NAME …] [--write FOLDER]

Each spec fills the size in another way: see `MAKERS`. A new site in a temporary folder publishes
it, and then a changed copy of it, and each page and operation is requested once. A line ends with
`!` above 5 CPU seconds or 2 MB. With `--write FOLDER` the specs are only written into files.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

BYTES = 1_000_000  # of a spec: a little below the limit, so that the changed copy fits too
MAX_CPU_S = 5.0
MAX_BYTES = 2_000_000
SENTENCE = "The identifier of the record that the caller wants to read, as the list shows it. "


def describe(length: int) -> str:
    """A description of this number of characters."""
    return (SENTENCE * (length // len(SENTENCE) + 1))[:length]


def many_properties() -> dict[str, Any]:
    """A flat object of 4,900 properties."""
    property_schema = {"type": "string", "description": describe(130)}
    names = [f"property_{number}" for number in range(4_900)]
    return {"type": "object", "properties": dict.fromkeys(names, property_schema)}


def required_properties() -> dict[str, Any]:
    """A flat object of 4,900 required properties of different types."""
    kinds: list[dict[str, Any]] = [
        {"type": "string", "minLength": 1},
        {"type": "integer", "minimum": 0, "maximum": 100},
        {"type": "boolean", "default": False},
        {"type": "array", "maxItems": 3},
        {"enum": ["red", "green", "blue"]},
    ]
    properties = {}
    for number in range(4_900):
        kind = kinds[number % len(kinds)]
        properties[f"property_{number}"] = {**kind, "description": describe(90)}
    return {"type": "object", "properties": properties, "required": list(properties)}


def deep_nesting() -> dict[str, Any]:
    """80 towers of objects, each 20 deep, with long descriptions."""
    properties = {}
    for number in range(80):
        tower: dict[str, Any] = {"type": "string"}
        for level in range(20):
            member = f"level_{level}"
            tower = {
                "type": "object",
                "description": describe(480),
                "properties": {member: tower},
                "required": [member],
            }
        properties[f"tower_{number}"] = tower
    return {"type": "object", "properties": properties}


def wide_union() -> dict[str, Any]:
    """One value of 1,000 alternatives with a tag."""
    alternatives = []
    for number in range(1_000):
        properties = {
            "kind": {"const": f"kind_{number}"},
            "name": {"type": "string", "description": describe(300)},
            "size": {"type": "integer", "description": describe(300)},
        }
        alternatives.append(
            {"type": "object", "properties": properties, "required": ["kind", "name"]}
        )
    return {"type": "object", "properties": {"value": {"oneOf": alternatives}}}


def large_enum() -> dict[str, Any]:
    """Two lists of 18,000 values each."""
    properties = {}
    for name in ("first", "second"):
        values = [f"{name} {number:05} of the list" for number in range(18_000)]
        properties[name] = {"enum": values}
    return {"type": "object", "properties": properties}


def many_definitions() -> dict[str, Any]:
    """1,200 definitions, each with three properties of which two refer to others."""
    count = 1_200
    definitions = {}
    for number in range(count):
        properties = {
            "name": {"type": "string", "description": describe(260)},
            "next": {"$ref": f"#/$defs/record_{(number + 1) % count}"},
            "other": {"$ref": f"#/$defs/record_{(number * 7 + 3) % count}"},
        }
        definitions[f"record_{number}"] = {
            "type": "object",
            "description": describe(260),
            "properties": properties,
        }
    return {
        "type": "object",
        "properties": {"record": {"$ref": "#/$defs/record_0"}},
        "$defs": definitions,
    }


def long_texts() -> dict[str, Any]:
    """20 properties with descriptions, defaults and examples of 15,000 characters each."""
    schema = {
        "type": "string",
        "description": describe(15_000),
        "default": describe(15_000),
        "examples": [describe(15_000)],
    }
    return {"type": "object", "properties": {f"text_{number}": schema for number in range(20)}}


MAKERS: dict[str, Callable[[], dict[str, Any]]] = {
    "many-properties": many_properties,
    "required-properties": required_properties,
    "deep-nesting": deep_nesting,
    "wide-union": wide_union,
    "large-enum": large_enum,
    "many-definitions": many_definitions,
    "long-texts": long_texts,
    "large-example": lambda: {"type": "object"},
}


def make_spec(name: str, *, changed: bool = False) -> str:
    """The text of a spec of almost 1 MiB, made by `MAKERS[name]`.

    If it is `changed`, the properties of its root are in another order, and there is one more,
    which is required.
    """
    parameters = MAKERS[name]()
    if changed:
        properties = dict(reversed(parameters.get("properties", {}).items()))
        properties["added"] = {"type": "integer"}
        required = [*parameters.get("required", ()), "added"]
        parameters = {**parameters, "properties": properties, "required": required}
    definition: dict[str, Any] = {
        "id": f"large.{name}",
        "name": f"large_{name.replace('-', '_')}",
        "description": "Measures a large spec.",
        "parameters": parameters,
        "returnType": parameters,
    }
    if len(json.dumps(definition)) > BYTES:
        definition["returnType"] = {"type": "string"}
    if name == "large-example":
        rows = [{"name": f"record {number}", "size": number} for number in range(22_000)]
        definition["examples"] = [{"description": "Rows", "parameters": {"rows": rows}}]
    return json.dumps({"definition": definition}, separators=(",", ":"))


class Meter:
    """A client of a new site, in this process, that prints what each request costs."""

    def __init__(self) -> None:
        from django.test import Client

        from accounts.models import SCOPES, User
        from accounts.tokens import create_token

        user = User.objects.create_superuser("bench")
        _, token = create_token(user, scopes=list(SCOPES))
        self.api = Client(headers={"authorization": f"Bearer {token}", "host": "localhost"})
        self.pages = Client(headers={"host": "localhost"})
        self.pages.force_login(user)

    def ask(self, label: str, method: str, path: str, body: str = "") -> bytes:
        client = self.api if path.startswith(("/api/", "/mcp")) else self.pages
        began = time.process_time()
        response = client.generic(method, path, body, "application/json")
        content = response.content
        used_s = time.process_time() - began
        line = f"  {label:34}{response.status_code:>5}{used_s:>8.2f} s"
        mark = "!" if used_s > MAX_CPU_S or len(content) > MAX_BYTES else ""
        print(f"{line}{len(content) / 1e3:>10,.0f} kB {mark}", flush=True)
        return content


def list_requests(slug: str) -> Iterator[tuple[str, str, str, str]]:
    """Label, method, path and body of each request, for a tool that has two revisions."""
    from toolspec.code import LANGUAGES
    from toolspec.exports import FORMATS

    page, api = f"/tools/{slug}/", f"/api/v1/tools/{slug}"
    for part in ("", "formats/spec/", "lint/", "lint/changes/", "formats/", "similar/"):
        yield f"page {part or 'of the tool'}", "GET", page + part, ""
    for part in ("changes/", "changes/1..2/", "changes/1/restore/"):
        yield f"page {part}", "GET", page + part, ""
    yield "API: difference", "GET", f"{api}/diff?from=1&to=2", ""
    for part in ("", "/spec", "/lint", "/revisions", "/similar"):
        yield f"API: tool{part}", "GET", api + part, ""
    for key in FORMATS:
        yield f"page of format {key}", "GET", f"{page}formats/{key}/", ""
        yield f"API: export {key}", "GET", f"{api}/export/{key}", ""
    for language in LANGUAGES:
        yield f"page of format {language}", "GET", f"{page}formats/{language}/", ""
        yield f"API: package {language}", "GET", f"{api}/code/{language}", ""
    yield "Try: the form", "GET", f"{page}try/", ""
    yield "Connect", "GET", f"/connect/tools/{slug}/", ""
    mock = json.dumps({"parameters": {}, "mode": "mock"})
    yield "API: mock run", "POST", f"{api}/runs", mock
    yield "search", "GET", "/tools/?q=measures+large", ""
    yield "API: search", "GET", "/api/v1/tools?q=measures+large", ""
    listing = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
    yield "MCP: tools/list", "POST", "/mcp/large?mock=1", listing


def measure(meter: Meter, name: str) -> None:
    text, changed = make_spec(name), make_spec(name, changed=True)
    print(f"{name}: {len(text):,} bytes")
    meter.ask("API: check", "POST", "/api/v1/specs/check", text)
    slug = json.loads(meter.ask("API: publish", "POST", "/api/v1/tools", text))["tool"]["slug"]
    meter.ask("API: publish the changed copy", "POST", "/api/v1/tools", changed)
    for label, method, path, body in list_requests(slug):
        meter.ask(label, method, path, body)
    meter.ask("archive", "DELETE", f"/api/v1/tools/{slug}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="*", default=list(MAKERS), choices=list(MAKERS))
    parser.add_argument("--write", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    if options.write:
        for name in options.only:
            (options.write / f"{name}.json").write_text(make_spec(name), encoding="utf-8")
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TOOLSHELF_DATA_DIR"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
        import django
        from django.core.management import call_command

        django.setup()
        from config.static_files import collect_static

        collect_static()
        call_command("migrate", verbosity=0)
        meter = Meter()
        for name in options.only:
            measure(meter, name)


if __name__ == "__main__":
    main()
