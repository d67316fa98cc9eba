"""Derive the columns and index rows that lists, facets and searches use, whenever a tool changes.

The sources are the tool's current spec and its metadata columns, which no spec changes (see
`Tool`). A function that changes one tool sets the column and calls `reindex`; `publish_many` calls
`mirror` before it writes the rows, and `index` afterwards. To make another fact of a tool
searchable, add it to `_metadata_keys`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from django.db import transaction
from django.utils import timezone

from catalog.index import search_index
from catalog.index.document import SearchDocument, document_of, effect_of, token_of_group
from catalog.index.visibility import audience_token
from catalog.tools.audiences import remove_unused_audiences, set_audience, toolkits_of
from catalog.tools.models import NEEDS_LENGTH, SORT_NAME_LENGTH, TAG_LENGTH, Tool, ToolTag
from toolshelf_core.errors import RevisionConflict
from toolspec.catalog_names import group_key, is_deprecated, tags_of, toolkit_of
from toolspec.lint.assessment import keys_of
from toolspec.schema.validation import compile_schema
from toolspec.spec import ToolSpec
from toolspec.text.containers import items_of, members_of
from toolspec.text.reader import JSON

# A schema with one of these keywords may have more members than it lists in `properties`.
_DESCRIBES_MEMBERS: Final = frozenset(
    ("$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "if", "patternProperties")
)

MIRRORED: Final = [
    "name",
    "sort_name",
    "description",
    "parameter_count",
    "required_count",
    "effect",
    "configurable",
    "needs",
    "has_examples",
    "has_return_type",
    "toolkit",
    "toolkit_key",
    "spec_tags",
    "deprecated_at",
]


def mirror(spec: ToolSpec, tool: Tool) -> None:
    """Copy the spec's values that lists and facets show into the tool's columns.

    A user's choice has precedence.
    """
    tool.name = spec.name
    tool.sort_name = " ".join(spec.name.casefold().split())[:SORT_NAME_LENGTH]
    tool.description = spec.description
    tool.parameter_count, tool.required_count = _count_parameters(spec.parameters)
    tool.effect = effect_of(spec)
    tool.configurable = spec.configuration is not None
    tool.needs = find_needed(spec.configuration)
    tool.has_examples = bool(spec.examples)
    tool.has_return_type = spec.return_type is not None
    tool.spec_tags = "\n".join(distinct_tags(tags_of(spec)))
    if not tool.toolkit_chosen:
        toolkit = toolkit_of(spec.tool_id)
        tool.toolkit = toolkit if group_key(toolkit) else ""
    tool.toolkit_key = group_key(tool.toolkit)
    if is_deprecated(spec):
        tool.deprecated_at = tool.deprecated_at or timezone.now()
    elif not tool.deprecation_chosen:
        tool.deprecated_at = None


def _count_parameters(parameters: JSON) -> tuple[int | None, int]:
    """The numbers of parameters and of required ones.

    None if the root of the schema does not list them.
    """
    schema = members_of(parameters)
    properties = members_of(schema.get("properties"))
    if not properties and not _DESCRIBES_MEMBERS.isdisjoint(schema):
        return None, 0
    return len(properties), sum(name in properties for name in items_of(schema.get("required")))


def find_needed(configuration: JSON) -> str:
    """The title of the first required member, or its name, or "configuration"; "" if none is.

    Args:
        configuration: the schema of a tool's configuration; None if it has none. Nothing is
            required if it accepts {}.
    """
    if configuration is None or compile_schema(configuration).check({}).verdict != "violates":
        return ""
    schema = members_of(configuration)
    names = [name for name in items_of(schema.get("required")) if isinstance(name, str)]
    if not names:
        return "configuration"
    title = members_of(members_of(schema.get("properties")).get(names[0])).get("title")
    words = title if isinstance(title, str) else names[0]
    return " ".join(words.split())[:NEEDS_LENGTH] or "configuration"


def distinct_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Tags as stored: on one line, at most `TAG_LENGTH` long, without duplicates.

    Tags without a letter or digit are left out.
    """
    tags_by_key: dict[str, str] = {}
    for tag in tags:
        text = " ".join(tag.split())[:TAG_LENGTH]
        if key := group_key(text):
            tags_by_key.setdefault(key, text)
    return tuple(tags_by_key.values())


def index(tools: Sequence[tuple[SearchDocument, Tool]]) -> None:
    """Write tag rows and search index of distinct tools, each with its current spec's document."""
    ToolTag.objects.filter(tool__in=[tool.pk for _, tool in tools]).delete()
    rows = []
    documents = []
    for document, tool in tools:
        for tag in tool.tags:
            rows.append(ToolTag(tool=tool, key=group_key(tag), sort_name=tool.sort_name))
        names = [tool.toolkit, *tool.tags]
        documents.append((tool.pk, document.add_metadata(names, _list_metadata_keys(tool))))
    ToolTag.objects.bulk_create(rows)
    search_index().put(documents)


def _list_metadata_keys(tool: Tool) -> Iterator[str]:
    """The index's tokens for facts that are not in the spec (see `SearchDocument.keys`)."""
    yield from keys_of(tool.score, tool.usable)
    if tool.archived:
        yield "f_archived"
    if tool.deprecated:
        yield "f_deprecated"
    if tool.toolkit:
        yield "f_toolkit"
        yield token_of_group("toolkit", tool.toolkit)
    for tag in tool.tags:
        yield token_of_group("tag", tag)
    if tool.owner_id is not None:
        yield f"o_{tool.owner_id}"
    if tool.audience_id is not None:
        yield audience_token(tool.audience_id)


@contextmanager
def changing_tool(tool: Tool, *, seen: Collection[str] | None = None) -> Iterator[Tool]:
    """Lock the index and yield the stored tool, to be changed inside the block, in one transaction.

    Args:
        tool: as the caller read it.
        seen: entity tags of the tool as the caller saw it; None skips the check, "*" accepts any.

    Raises:
        RevisionConflict: the tool's entity tag is not one of them.
    """
    with transaction.atomic():
        search_index().hold()
        stored = Tool.objects.with_current().get(pk=tool.pk)
        if seen is not None:
            require_seen(stored, seen)
        yield stored


def require_seen(tool: Tool, seen: Collection[str]) -> None:
    """Check that one of these entity tags is the tool's.

    Raises:
        RevisionConflict: none is.
    """
    if not tool.is_as_seen(seen):
        raise RevisionConflict(
            f"The tool has changed: its `ETag` is now {tool.etag}. "
            "Read it again to see what changed."
        )


def reindex(tool: Tool, *columns: str) -> None:
    """Store these columns of a tool and everything derived from them.

    The caller has locked the index.
    """
    if tool.current is None:
        tool.save(update_fields=columns)
        return
    mirror(tool.current.spec, tool)
    before = tool.audience_id
    set_audience(tool, toolkits_of([tool]))
    tool.save(update_fields={*columns, *MIRRORED, "audience"})
    index([(document_of(tool.current.spec), tool)])
    if before not in {None, tool.audience_id}:
        remove_unused_audiences()
