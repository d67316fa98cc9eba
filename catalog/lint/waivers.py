"""Waive findings of lint in a tool: accepted for a reason, they no longer reduce the score."""

from __future__ import annotations

from typing import Final

from django.db import transaction

from accounts.models import User
from catalog.index import search_index
from catalog.tools.assessments import assess_again
from catalog.tools.lint_models import POINTER_LENGTH, REASON_LENGTH, Waiver
from catalog.tools.models import Tool
from toolshelf_core import audit
from toolspec.errors import DocumentError, Problem
from toolspec.lint import RULES

MAX_WAIVERS: Final = 500


def waive(tool: Tool, *, rule: str, pointer: str = "", reason: str, by: User | None) -> Waiver:
    """Accept the findings of `rule` in `tool`; replaces the reason of an existing waiver.

    Args:
        tool: the waiver applies to all its revisions, including future ones.
        rule: the id of the rule.
        pointer: waive only the finding at this pointer; "" waives all findings of the rule.
        reason: shown to all users.
        by: the user who decides.

    Raises:
        DocumentError: the rule does not exist, the reason is missing or too long, or there are too
            many waivers.
    """
    reason = " ".join(reason.split())
    problems = check_waiver(rule, pointer, reason)
    if problems:
        raise DocumentError(problems)
    with transaction.atomic():
        search_index().hold()
        others = Waiver.objects.filter(tool=tool).exclude(rule=rule, pointer=pointer)
        if others.count() >= MAX_WAIVERS:
            message = (
                f"A tool can have at most {MAX_WAIVERS} waivers; waive whole rules, "
                "or fix the spec."
            )
            raise DocumentError([Problem("/rule", message, "waiver.number")])
        earlier = Waiver.objects.filter(tool=tool, rule=rule, pointer=pointer).first()
        waiver, _ = Waiver.objects.update_or_create(
            tool=tool, rule=rule, pointer=pointer, defaults={"reason": reason, "created_by": by}
        )
        before = _facts_of(earlier) if earlier else None
        audit.record("waiver.add", "tool", tool.tool_id, before=before, after=_facts_of(waiver))
        assess_again(Tool.objects.with_current().get(pk=tool.pk))
    return waiver


def delete_waiver(waiver: Waiver) -> None:
    """Remove a waiver: its findings count again."""
    with transaction.atomic():
        search_index().hold()
        count, _ = Waiver.objects.filter(pk=waiver.pk).delete()
        tool = Tool.objects.with_current().get(pk=waiver.tool_id)
        if count:
            audit.record("waiver.remove", "tool", tool.tool_id, before=_facts_of(waiver))
        assess_again(tool)


def _facts_of(waiver: Waiver) -> dict[str, str]:
    return {"rule": waiver.rule, "pointer": waiver.pointer, "reason": waiver.reason}


def check_waiver(rule: str, pointer: str, reason: str) -> list[Problem]:
    """The reasons why these are not a valid waiver.

    They have pointers into {"rule", "pointer", "reason"}.
    """
    problems = []
    if rule not in RULES:
        problems.append(Problem("/rule", f"There is no rule {rule[:40]!r}.", "waiver.rule"))
    is_pointer = not pointer or pointer.startswith("/")
    if len(pointer) > POINTER_LENGTH or "\x00" in pointer or not is_pointer:
        message = (
            f"`pointer` must be a JSON Pointer of at most {POINTER_LENGTH} characters; "
            "empty waives the whole rule."
        )
        problems.append(Problem("/pointer", message, "waiver.pointer"))
    if not reason:
        message = "Enter a reason that explains the waiver to others."
        problems.append(Problem("/reason", message, "waiver.reason"))
    elif len(reason) > REASON_LENGTH or "\x00" in reason:
        message = (
            f"A reason can have at most {REASON_LENGTH} characters; this one has {len(reason):,}."
        )
        problems.append(Problem("/reason", message, "waiver.reason"))
    return problems
