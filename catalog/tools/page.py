"""The view models of a tool's page and its parts: documentation, examples, spec and exports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import filterfalse, islice, starmap
from typing import Final

from catalog.tools.lookup import revision_of
from catalog.tools.models import Tool
from toolshelf_core.rendering.json_highlighting import count_shown_lines
from toolspec.code import LANGUAGES, Language
from toolspec.exports import FORMATS, Export, LocatedLoss, Rules, export, located_losses
from toolspec.schema import documentation as schema_docs
from toolspec.spec import Example, ToolSpec
from toolspec.text.pretty import is_one_line, pretty_print, print_json
from toolspec.text.reader import JSON

LONG_PURPOSE_CHARS = 900
MAX_OUTLINE = 80  # rows of one section
MAX_DEEPER = 400  # properties of one section that the outline's filter finds besides its rows
LONG_CODE_CHARS = 8_000
EXPORTS_SHOWN = ("mcp", "openai", "anthropic")


@dataclass(frozen=True, slots=True)
class Section:
    """One schema of the spec, documented."""

    anchor: str
    title: str
    absent: str
    node: schema_docs.Node | None

    @property
    def outline(self) -> tuple[OutlineRow, ...]:
        """Its properties and theirs, and the variants of unions, in the order of the page."""
        return tuple(_list_outline(self.node))[:MAX_OUTLINE] if self.node else ()

    @property
    def pointers(self) -> list[str]:
        """The JSON Pointers of its documented schemas, in the spec."""
        return [node.pointer for node in _walk(self.node)] if self.node else []

    @property
    def deeper(self) -> str:
        """The anchors of the properties below those of the outline, one per line."""
        if self.node is None:
            return ""
        outline = {row.anchor for row in self.outline}
        properties = (node.anchor for node in islice(_walk(self.node), 1, None) if node.name)
        return "\n".join(islice(filterfalse(outline.__contains__, properties), MAX_DEEPER))


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """One property or variant.

    `parent` is the name of the containing member, and a dot; "" at the top.
    """

    name: str
    anchor: str
    parent: str
    required: bool


def _list_outline(node: schema_docs.Node, parent: str = "") -> Iterator[OutlineRow]:
    for child in node.children:
        if child.name:
            yield OutlineRow(child.name, child.anchor, parent, child.required)
        if not child.name:
            yield from _list_outline(child, parent)
        elif not parent:
            yield from _list_outline(child, f"{child.name}.")
    for branch in node.branches:
        yield OutlineRow(branch.title, branch.node.anchor, parent, required=False)


def _walk(node: schema_docs.Node) -> Iterator[schema_docs.Node]:
    """The node, and all below it."""
    yield node
    for child in node.children:
        yield from _walk(child)
    for branch in node.branches:
        yield from _walk(branch.node)


def document_sections(spec: ToolSpec) -> tuple[Section, ...]:
    """Parameters, returns and configuration, documented."""
    return (
        _make_section("parameters", "Parameters", "No parameters.", spec.parameters),
        _make_section("returns", "Returns", "The spec has no return type.", spec.return_type),
        _make_section("configuration", "Configuration", "No configuration.", spec.configuration),
    )


_POINTERS: Final = {
    "parameters": "/definition/parameters",
    "returns": "/definition/returnType",
    "configuration": "/configuration",
}


def _make_section(anchor: str, title: str, absent: str, schema: JSON) -> Section:
    if schema is None:
        return Section(anchor, title, absent, None)
    node = schema_docs.document(schema, anchor=anchor, pointer=_POINTERS[anchor])
    return Section(anchor, title, absent, node)


@dataclass(frozen=True, slots=True)
class Usage:
    """How to use the tool in a program: some `code`.

    Or an export with its changes; then `code` is its text.
    """

    key: str
    label: str
    code: str = ""
    export: Export | None = None
    losses: tuple[LocatedLoss, ...] = ()

    @property
    def code_id(self) -> str:
        return f"use-{self.key}-code"

    @property
    def is_long(self) -> bool:
        """Whether it is too long to be shown beside the documentation."""
        return len(self.code) > LONG_CODE_CHARS

    @property
    def shown_lines(self) -> int:
        """The number of lines that its own page shows."""
        return count_shown_lines(self.code)


@dataclass(frozen=True, slots=True)
class Sample:
    """One of the spec's examples; they are numbered from 1."""

    number: int
    example: Example

    @property
    def anchor(self) -> str:
        return f"example-{self.number}"

    @property
    def parameters_id(self) -> str:
        return f"{self.anchor}-parameters"

    @property
    def returns_id(self) -> str:
        return f"{self.anchor}-returns"


@dataclass(frozen=True)
class ToolPage:
    """The documentation on a tool's page, computed when the template asks for it.

    `site` is the address of this site. The playground shows how to call the tool
    (`playground/examples/calls.py`).
    """

    tool: Tool
    site: str

    @property
    def spec(self) -> ToolSpec:
        return revision_of(self.tool).spec

    @property
    def long_purpose(self) -> bool:
        """Whether the description is so long that the page first shows only its beginning."""
        return len(self.spec.description) > LONG_PURPOSE_CHARS

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        return document_sections(self.spec)

    @cached_property
    def examples(self) -> tuple[Sample, ...]:
        return tuple(starmap(Sample, enumerate(self.spec.examples, 1)))

    @property
    def sample_response(self) -> Sample | None:
        """The first example with a return value."""
        return next((sample for sample in self.examples if sample.example.has_return_value), None)

    @property
    def export_formats(self) -> tuple[Rules, ...]:
        """The most requested export formats."""
        return tuple(FORMATS[key] for key in EXPORTS_SHOWN)

    @property
    def languages(self) -> tuple[Language, ...]:
        """The languages that code is generated in."""
        return tuple(LANGUAGES.values())


@dataclass(frozen=True)
class SpecText:
    """The text of a spec as a page shows it."""

    source: str

    @property
    def laid_out(self) -> bool:
        """Whether the uploaded spec is a single line, which is shown pretty-printed."""
        return is_one_line(self.source)

    @cached_property
    def text(self) -> str:
        """The spec as uploaded, or pretty-printed if that is a single line."""
        return pretty_print(self.source) if self.laid_out else self.source


def describe_export(spec: ToolSpec, key: str) -> Usage:
    """`spec` in the export format with this key."""
    export_ = export(spec, key)
    code = print_json(export_.document)
    return Usage(key, FORMATS[key].label, code, export_, located_losses(spec, export_, code))
