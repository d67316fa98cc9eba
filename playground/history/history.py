"""A person's latest runs of one tool as marks, newest at the right.

Height and fill tell them apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AnonymousUser

from accounts.models import User
from catalog.tools.models import Tool
from playground.history.run_sentence import VERDICT_WORDS
from playground.runs.models import ACTIVE, Run

SHOWN = 24


@dataclass(frozen=True)
class HistoryBar:
    """One run. `kind` is "good", "bad", "failed", "refused" or "muted"; `words` its result."""

    id: str
    kind: str
    words: str
    mode: str
    call_ms: float | None
    at: datetime

    @property
    def has_ended(self) -> bool:
        return self.words not in ACTIVE


def history_of(tool: Tool, user: User | AnonymousUser) -> list[HistoryBar]:
    """The latest runs of `tool` that `user` started, oldest first; by one query."""
    if not isinstance(user, User):
        return []
    columns = ("id", "outcome", "verdict", "mode", "call_ms", "created_at")
    runs = Run.objects.visible_to(user).filter(tool=tool, by=user).order_by("-id")
    bars = []
    for run_id, outcome, verdict, mode, call_ms, at in runs.values_list(*columns)[:SHOWN]:
        words = VERDICT_WORDS.get(verdict) or outcome.replace("_", " ")
        bars.append(HistoryBar(run_id, _kind(outcome, verdict), words, mode, call_ms, at))
    bars.reverse()
    return bars


def _kind(outcome: str, verdict: str) -> str:
    if verdict == "conforms":
        return "good"
    if verdict == "violates":
        return "bad"
    if outcome == "refused":
        return "refused"
    if outcome in {"returned", "cancelled", *ACTIVE}:
        return "muted"
    return "failed"
