"""A tool as this site's own MCP server lists it, unlike an export for servers elsewhere.

Clients pass the tools of a server on to a model's provider. If the provider refuses one of them, it
refuses every request of the session, so what is served keeps the rules of all known clients
together: names and schemas as Anthropic and OpenAI accept them, in 2020-12, because hosts refuse
tools with `$schema: draft-07`. Calls and results are translated with the aliases of names.

Of the fields of MCP that a spec may hold, those are left out that promise what only the original
server can do: `execution` (tasks) and `_meta`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from toolspec.conversion_report import Loss, Report, is_within
from toolspec.exports import format_rules
from toolspec.exports.aliases import alias, aliases_of, free_alias, rename_in_keyword, with_keys
from toolspec.exports.conversion import NAME, PARAMETERS, RETURN_TYPE, Job
from toolspec.exports.formats import as_object, mcp_without_output
from toolspec.exports.full_schema import CLOSING, Path, whole_object
from toolspec.exports.merge_all_of import Flattener, TooLarge
from toolspec.exports.object_root import NotAnObject
from toolspec.exports.restricted_keywords import explain_renaming
from toolspec.schema.dialects import DEFAULT_DIALECT, change_subschemas, list_subschemas
from toolspec.schema.normalize import Schema, is_outdated, normalize
from toolspec.schema.types import type_names
from toolspec.spec import ToolSpec
from toolspec.text.containers import items_of, members_of, strings_of
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"

MAX_NOTES: Final = 20  # on the names in one message
_KEYS: Final = format_rules.ANTHROPIC.members
_RULES: Final = replace(
    format_rules.OPENAI,
    key="served",
    barred=frozenset({"oneOf", "anyOf", "allOf", "not", "if", "then", "else", "enum", "const"}),
    object_members=True,
)
_OUTPUT_RULES: Final = replace(_RULES, needs_items=False, lookaround=True)
_OF_THE_ORIGINAL_SERVER: Final = ("execution", "_meta")


@dataclass(frozen=True, slots=True)
class ServedTool:
    """A tool as the server lists it.

    Attributes:
        document: the tool in MCP's format.
        changes: what a model sees differently than in the spec, with pointers into the spec.
        obstacles: why it cannot be listed; empty if it can.
        parameter_aliases: the served names of properties of the parameters, by their names in the
            spec.
        response_aliases: the same for the response.
    """

    document: Schema
    changes: tuple[Loss, ...] = ()
    obstacles: tuple[str, ...] = ()
    parameter_aliases: Mapping[str, str] = field(default_factory=dict)
    response_aliases: Mapping[str, str] = field(default_factory=dict)

    @property
    def names_by_alias(self) -> dict[str, JSON]:
        """The names in the spec of all renamed properties, by their served names."""
        return {alias: name for name, alias in self._aliases.items()}

    @property
    def _aliases(self) -> dict[str, str]:
        return {**self.response_aliases, **self.parameter_aliases}

    def parameters_of(self, arguments: JSON) -> JSON:
        """The parameters that a client means with `arguments`.

        It may also use the names of the spec.
        """
        return with_keys(arguments, {alias: name for name, alias in self.parameter_aliases.items()})

    def served_response(self, response: JSON) -> JSON:
        """`response` with the names of the served output schema."""
        return with_keys(response, self.response_aliases)

    def notes_on(self, text: str) -> list[str]:
        """How the client knows each renamed property whose name in the spec is in `text`."""
        notes = []
        for name, new in self._aliases.items():
            if name in text or pointer_join("", name) in text:
                notes.append(f"`{name}` is the property `{new}` here.")
        return notes[:MAX_NOTES]


def served_name(name: str) -> str:
    """`name` if every client takes it, else its alias."""
    return alias(name, _RULES.name)


def free_name(name: str, used: Collection[str]) -> str:
    """As `served_name`, with a number if `used` contains it."""
    return free_alias(name, _RULES.name, used)


def served_tool(spec: ToolSpec, *, any_result: bool) -> ServedTool:
    """`spec` as a tool of this site's MCP server.

    Args:
        spec: the tool's spec.
        any_result: whether a result may be any JSON value, as since 2026-07-28; before,
            `outputSchema` is left out unless the return type is an object.
    """
    job = Job(spec, _RULES)
    tool = mcp_without_output(job)
    for name in _OF_THE_ORIGINAL_SERVER:
        tool.pop(name, None)
    schema = _without_draft(tool["inputSchema"])
    parameters, parameter_aliases = _with_legal_keys(schema, PARAMETERS, job.report)
    if members_of(spec.parameters).get("$schema") == DRAFT:
        parameters = {"$schema": DRAFT, **parameters}
    tool["inputSchema"] = parameters
    output = _output_schema(spec.return_type, any_result=any_result)
    response_aliases: Mapping[str, str] = {}
    if output is not None:
        tool["outputSchema"], response_aliases = _with_legal_keys(output, RETURN_TYPE, job.report)
    changes = []
    for loss in job.report:
        if loss.what != "kept" and is_within(loss.pointer, NAME, PARAMETERS, RETURN_TYPE):
            changes.append(loss)
    return ServedTool(
        tool, tuple(changes), tuple(job.obstacles), parameter_aliases, response_aliases
    )


def _output_schema(returns: JSON, *, any_result: bool) -> Schema | None:
    """The schema of the results; None if there is none that a client takes."""
    if returns is None:
        return None
    if not any_result:
        return _object_output(returns)
    if isinstance(returns, dict) and is_outdated(returns):
        returns = normalize(returns, pointer=RETURN_TYPE, report=Report()).together()
    return as_object(_without_draft(returns))


def _object_output(returns: JSON) -> Schema | None:
    """`returns` with an object at its root.

    None if it also allows other values, which an older client cannot get.
    """
    modern = normalize(returns, pointer=RETURN_TYPE, report=Report())
    try:
        if not _allows_only_objects(modern.root, Flattener(modern, Report())):
            return None
        schema, _ = whole_object(returns, RETURN_TYPE, _OUTPUT_RULES, Report())
    except (NotAnObject, TooLarge):
        return None
    return members_of(_without_draft(schema))


def _allows_only_objects(schema: JSON, flattener: Flattener) -> bool:
    """Whether `schema` itself, or each of its alternatives, has the type object."""
    if not isinstance(schema, dict):
        return False
    members = flattener.flat(schema).members
    if type_names(members.get("type")) == ["object"]:
        return True
    alternatives = items_of(members.get("anyOf")) or items_of(members.get("oneOf"))
    if not alternatives:
        return False
    return all(_allows_only_objects(branch, flattener) for branch in alternatives)


def _without_draft(schema: JSON) -> JSON:
    """`schema`, which means the same in 2020-12, without the name of an earlier draft."""
    if not isinstance(schema, dict) or schema.get("$schema", DRAFT) == DRAFT:
        return schema
    return {keyword: value for keyword, value in schema.items() if keyword != "$schema"}


# Keys


def _with_legal_keys(schema: JSON, pointer: str, report: Report) -> tuple[Schema, dict[str, str]]:
    """(`schema` with aliases for illegal names of properties, these aliases by name).

    A name has the same alias wherever it occurs, so the schema keeps its meaning.
    """
    assert _KEYS is not None  # noqa: S101 - for mypy: Anthropic has such a rule
    aliases = aliases_of(_list_names_in(schema), _KEYS)
    if not aliases:
        return members_of(schema), {}
    for name, new in aliases.items():
        report.rewritten(pointer, explain_renaming(name, new, format_rules.ANTHROPIC.label, _KEYS))
    # references do not name properties then
    together = normalize(schema, pointer=pointer, report=Report()).together()
    return members_of(_rename_keys(together, aliases, pointer, report)), aliases


def _list_names_in(schema: JSON) -> Iterator[str]:
    """The names of properties that `schema` mentions, at every depth."""
    waiting = [schema]
    while waiting:
        current = members_of(waiting.pop())
        dependent = members_of(current.get("dependentRequired"))
        yield from members_of(current.get("properties"))
        yield from members_of(current.get("dependentSchemas"))
        yield from dependent
        for names in (current.get("required"), *dependent.values()):
            yield from strings_of(names)
        waiting += [inner for _, inner in list_subschemas(current, DEFAULT_DIALECT)]


def _rename_keys(schema: JSON, aliases: Mapping[str, str], pointer: str, report: Report) -> JSON:
    if not isinstance(schema, dict):
        return schema

    def rename_inside(_: Path, inner: JSON) -> JSON:
        return _rename_keys(inner, aliases, pointer, report)

    out: Schema = {}
    for keyword, value in change_subschemas(schema, DEFAULT_DIALECT, rename_inside).items():
        if keyword == "properties" and isinstance(value, dict):
            titled = {name: _add_title(name, member) for name, member in value.items()}
            out[keyword] = rename_in_keyword(keyword, titled, aliases)
        elif keyword in _VALUES:
            out[keyword] = with_keys(value, aliases)
        else:
            out[keyword] = rename_in_keyword(keyword, value, aliases)
    if aliases.keys().isdisjoint(members_of(schema.get("properties"))):
        return out
    for keyword in _BY_PATTERN & out.keys():
        for name in (keyword, *CLOSING):
            out.pop(name, None)
        reason = f"`{keyword}` was removed: it is beside properties that were renamed."
        report.dropped(pointer, reason)
    return out


def _add_title(name: str, member: JSON) -> JSON:
    """`member` with `name` as its title if the alias cannot show it."""
    if name.isascii() or not isinstance(member, dict) or "title" in member:
        return member
    return {"title": name, **member}


_VALUES: Final = frozenset({"const", "default", "enum", "examples"})
_BY_PATTERN: Final = frozenset({"patternProperties", "propertyNames"})
