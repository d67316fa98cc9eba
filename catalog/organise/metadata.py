"""Set the toolkit, the tags and the owner of a tool. New revisions do not change them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from accounts.models import User
from catalog.access.rights import may_add_to_toolkit, require
from catalog.tools.indexing import changing_tool, reindex
from catalog.tools.models import TAG_LENGTH, TOOLKIT_LENGTH, Tool
from toolshelf_core import audit
from toolshelf_core.errors import HeldBySpec, NotAllowed
from toolspec.catalog_names import MAX_TAGS, group_key, toolkit_of
from toolspec.errors import DocumentError, Problem
from toolspec.text.pointers import pointer_join


class Unchanged(Enum):
    """The type of `UNCHANGED`, which leaves the stored metadata unchanged."""

    UNCHANGED = "unchanged"


UNCHANGED: Final = Unchanged.UNCHANGED


@dataclass(frozen=True, slots=True)
class Organisation:
    """The requested changes to a tool's metadata.

    Attributes:
        toolkit: the name of its toolkit; "" for none; None for the toolkit in its id.
        add_tags: tags to add; tags that it already has are ignored.
        remove_tags: tags to remove; tags that it does not have are ignored.
        owner: the new owner's username; "" for nobody.
    """

    toolkit: str | Unchanged | None = UNCHANGED
    add_tags: Sequence[str] = ()
    remove_tags: Sequence[str] = ()
    owner: str | Unchanged = UNCHANGED


def organise(
    tool: Tool, wanted: Organisation, *, by: User | None, seen: Collection[str] | None = None
) -> Tool:
    """Make all of the `wanted` changes, or none.

    Returns:
        The tool as it is now stored.

    Raises:
        RevisionConflict: the tool's entity tag is not in `seen` (see `indexing.changing_tool`).
        DocumentError: a name is invalid; with pointers into {"toolkit", "add_tags", "remove_tags",
            "owner"}.
        HeldBySpec: a tag to be removed is one of the spec's own.
        NotAllowed: `by` may not change the owner, or not put tools into that toolkit.
    """
    with changing_tool(tool, seen=seen) as stored:
        before = _metadata_of(stored)
        problems = [*_set_toolkit(stored, wanted.toolkit), *_set_tags(stored, wanted)]
        if not isinstance(wanted.owner, Unchanged):
            problems += _hand_over(stored, wanted.owner, by)
        if problems:
            raise DocumentError(problems)
        if not isinstance(wanted.toolkit, Unchanged):
            _require_toolkit(stored, by)
        reindex(stored, "toolkit_chosen", "added_tags", "owner")
        audit.record_change("tool.organise", "tool", stored.tool_id, before, _metadata_of(stored))
        return stored


def _metadata_of(tool: Tool) -> dict[str, object]:
    owner = tool.owner.username if tool.owner else None
    return {"toolkit": tool.toolkit, "tags": tool.added_tags.splitlines(), "owner": owner}


def _set_toolkit(tool: Tool, wanted: str | Unchanged | None) -> list[Problem]:
    if isinstance(wanted, Unchanged):
        return []
    tool.toolkit_chosen = wanted is not None
    if wanted is None:
        return []
    tool.toolkit = " ".join(wanted.split())
    if not tool.toolkit:
        return []
    return problems_of_name(tool.toolkit, "/toolkit", "toolkit", TOOLKIT_LENGTH)


def _require_toolkit(tool: Tool, by: User | None) -> None:
    """Check that `by` may put the tool into the toolkit that was set, if it is a different one."""
    name = tool.toolkit if tool.toolkit_chosen else toolkit_of(tool.tool_id)
    if (key := group_key(name)) != tool.toolkit_key and not (answer := may_add_to_toolkit(by, key)):
        raise NotAllowed(answer.reason, field="toolkit")


def _set_tags(tool: Tool, wanted: Organisation) -> list[Problem]:
    added = [" ".join(tag.split()) for tag in wanted.add_tags]
    problems = [
        problem
        for index, tag in enumerate(added)
        for problem in problems_of_name(tag, pointer_join("/add_tags", index), "tag", TAG_LENGTH)
    ]
    removed = {group_key(tag): tag for tag in wanted.remove_tags}
    tags = {group_key(tag): tag for tag in tool.added_tags.splitlines()}
    for tag in tool.spec_tags.splitlines():
        if group_key(tag) in removed.keys() - tags.keys():
            raise HeldBySpec(f"The tag {tag!r} is part of the spec; publish a revision without it.")
    tags = {key: tag for key, tag in tags.items() if key not in removed}
    present = tags.keys() | {group_key(tag) for tag in tool.spec_tags.splitlines()}
    tags |= {group_key(tag): tag for tag in reversed(added) if group_key(tag) not in present}
    if len(tags) > MAX_TAGS:
        problems.append(
            Problem("/add_tags", f"A tool can have at most {MAX_TAGS} tags.", "organise.tags")
        )
    tool.added_tags = "\n".join(tags.values())
    return problems


def problems_of_name(name: str, pointer: str, kind: str, length: int) -> list[Problem]:
    """The reasons why `name`, at `pointer`, is not a valid name of a "toolkit" or a "tag"."""
    rule = f"organise.{kind}"
    if "\x00" in name or not group_key(name):
        return [Problem(pointer, f"The name of a {kind} needs a letter or a digit.", rule)]
    if kind == "tag" and "," in name:
        return [Problem(pointer, "A tag cannot contain a comma; commas separate tags.", rule)]
    if len(name) > length:
        return [
            Problem(pointer, f"The name of a {kind} can have at most {length} characters.", rule)
        ]
    return []


def _hand_over(tool: Tool, name: str, by: User | None) -> list[Problem]:
    if name == (tool.owner.username if tool.owner else ""):
        return []
    require(by, "hand over", tool)
    if not name:
        tool.owner = None
        return []
    owner = User.objects.filter(username=name, is_active=True).first()
    if owner is None:
        return [Problem("/owner", f"There is no user {name!r}.", "organise.owner")]
    tool.owner = owner
    return []
