"""The tools of /mcp/<toolkit>: those of the toolkit that can be run, or all of them as mocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from accounts.models import Person
from catalog.search.pagination import BadCursor, Cursor
from catalog.tools.models import Tool, ToolQuerySet
from playground.mcp.protocol import INVALID_PARAMS, Message, ProtocolError, shorten, status_of
from playground.mcp.results import Result
from playground.mcp.toolsets import Call, ToolPage
from toolshelf_core.caching import MAX_CHARACTERS, LRUCache
from toolspec.catalog_names import group_key
from toolspec.exports.mcp_server import ServedTool, free_name, served_name, served_tool
from toolspec.text.reader import JSON, dumps

ALIASES_KEY: Final = "toolshelf/aliases"
PAGE_SIZE: Final = 100
MAX_PAGE_CHARACTERS: Final = 1024 * 1024  # at least one tool is listed, however long


@dataclass(frozen=True, slots=True)
class Listed:
    """A tool of the list: as JSON text, and as what its calls need."""

    text: str
    served: ServedTool


_listed: LRUCache[Listed] = LRUCache(
    max_weight=MAX_CHARACTERS, weigh=lambda listed: 2 * len(listed.text)
)


@dataclass(frozen=True)
class ToolkitTools:
    """The tools of a toolkit.

    Attributes:
        title: its name as its tools have it.
        key: the name as toolkits are compared.
        person: only tools that this person may see.
        mock: list all of its tools, and call them as mocks; otherwise only those that a factory
            serves.
    """

    title: str
    key: str
    person: Person
    mock: bool = False

    @classmethod
    def of(cls, name: str, person: Person, *, mock: bool) -> ToolkitTools | None:
        """The tools of the toolkit `name`, in any spelling; None if `person` sees no tool of it."""
        key = group_key(name)
        tools = Tool.objects.visible_to(person).available().in_toolkit(name)
        title = tools.values_list("toolkit", flat=True).first()
        return None if title is None else cls(title, key, person, mock)

    @property
    def name(self) -> str:
        return f"toolshelf-{served_name(self.key)}"

    @property
    def instructions(self) -> str:
        if self.mock:
            return (
                f"The tools of the toolkit {self.title} in Toolshelf, as mocks: responses come "
                "from examples or are generated, and no tool is called."
            )
        return f"The tools of the toolkit {self.title} that can be run in Toolshelf."

    @property
    def tools(self) -> ToolQuerySet:
        """Its tools, in the order of the list."""
        visible = Tool.objects.visible_to(self.person).available()
        tools = visible.filter(toolkit_key=self.key, current__isnull=False).by_name()
        return tools if self.mock else tools.runnable()

    @cached_property
    def names(self) -> dict[str, int]:
        """The primary key of each tool, by its name in the list.

        That is the name that models see. Tools of the same name are listed by their ids instead,
        unless another tool has that name; then a number follows.
        """
        rows = list(self.tools.values_list("pk", "name", "tool_id"))
        counts = Counter(served_name(name) for _, name, _ in rows)
        names = {served_name(name): pk for pk, name, _ in rows if counts[served_name(name)] == 1}
        for pk, name, tool_id in sorted(rows):
            if counts[served_name(name)] > 1:
                names[free_name(tool_id, names)] = pk
        return names

    @cached_property
    def _names_by_pk(self) -> dict[int, str]:
        return {pk: name for name, pk in self.names.items()}

    def page(self, cursor: str | None, message: Message) -> ToolPage:
        tools = self.tools.with_current()
        if cursor is not None:
            position = _read_position(cursor, message)
            tools = tools.filter(sort_name__gte=position.key).exclude(
                sort_name=position.key, pk__lte=position.pk
            )
        rows = list(tools[: PAGE_SIZE + 1])
        texts: list[str] = []
        not_listed: list[JSON] = []
        length = 0
        for index, tool in enumerate(rows):
            name = self._names_by_pk.get(tool.pk, served_name(tool.tool_id))
            listed = listed_as(name, tool, any_result=message.is_modern)
            text, obstacles = listed.text, listed.served.obstacles
            if index == PAGE_SIZE or (texts and length + len(text) > MAX_PAGE_CHARACTERS):
                last = rows[index - 1]
                following = Cursor("list", last.sort_name, last.pk).encode()
                return ToolPage(tuple(texts), following, tuple(not_listed))
            length += len(text)
            if obstacles:
                not_listed.append({"id": tool.tool_id, "reason": " ".join(obstacles)})
            else:
                texts.append(text)
        return ToolPage(tuple(texts), None, tuple(not_listed))

    def changed(self, tools: Iterable[Tool]) -> list[tuple[Tool, str, ServedTool]]:
        """Those of `tools` that clients get changed or not at all, with their names in the list."""
        changes = []
        for tool in tools:
            name = self._names_by_pk.get(tool.pk, served_name(tool.tool_id))
            served = listed_as(name, tool, any_result=True).served
            if served.changes or served.obstacles:
                changes.append((tool, name, served))
        return changes

    def needs_run_scope(self, name: str) -> bool:  # noqa: ARG002 - each of its tools is run
        return True

    def call(self, name: str, arguments: JSON, message: Message) -> Result | Call:
        if name not in self.names:
            text = (
                f"Unknown tool: {shorten(name)}. "
                f"The toolkit {self.title} has no such tool that can be called here."
            )
            raise ProtocolError(INVALID_PARAMS, text, status=status_of(message))
        tool = Tool.objects.with_current().get(pk=self.names[name])
        served = listed_as(name, tool, any_result=message.is_modern).served
        mode = "mock" if self.mock else "live"
        return Call(tool=tool, arguments=served.parameters_of(arguments), mode=mode, served=served)


def listed_as(name: str, tool: Tool, *, any_result: bool) -> Listed:
    """`tool`, which has a current revision, in a list where it is called `name`.

    For `any_result` see `served_tool`.
    """
    revision = tool.current
    assert revision is not None  # noqa: S101 - for mypy

    def serve() -> Listed:
        served = served_tool(revision.spec, any_result=any_result)
        title: dict[str, JSON] = {} if name == revision.spec.name else {"title": revision.spec.name}
        document = {**title, **served.document, "name": name}
        if served.names_by_alias:
            document["_meta"] = {ALIASES_KEY: served.names_by_alias}
        return Listed(dumps(document), served)

    return _listed.get_or_compute((revision.sha256, name, any_result), serve)


def _read_position(cursor: str, message: Message) -> Cursor:
    try:
        position = Cursor.decode(cursor)
    except BadCursor:
        position = None
    if position is None or position.mode != "list":
        raise ProtocolError(
            INVALID_PARAMS,
            "This cursor is not valid; start again without one.",
            status=status_of(message),
        )
    return position
