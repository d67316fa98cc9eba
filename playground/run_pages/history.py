"""A person's latest runs of one tool as bars: newest at the right, the height shows the time of the call."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from math import sqrt

from django.contrib.auth.models import AnonymousUser

from catalog.accounts.models import User
from catalog.models import Tool
from playground.models import ACTIVE, Run
from playground.run_pages.run_sentence import VERDICT_WORDS

SHOWN = 40
HEIGHT = 36


@dataclass(frozen=True)
class HistoryBar:
    """One run. `tone` is "good", "bad" or "muted"; `words` its result; `height` is at most `HEIGHT`."""

    id: str
    tone: str
    words: str
    mode: str
    call_ms: float | None
    at: datetime
    height: float

    @property
    def has_ended(self) -> bool:
        return self.words not in ACTIVE

    @property
    def y(self) -> float:
        return round(HEIGHT - self.height, 1)


def history_of(tool: Tool, user: User | AnonymousUser) -> list[HistoryBar]:
    """The latest runs of `tool` that `user` started, oldest first; by one query."""
    if not isinstance(user, User):
        return []
    columns = ("id", "outcome", "verdict", "mode", "call_ms", "created_at")
    rows = list(
        Run.objects.visible_to(user)
        .filter(tool=tool, by=user)
        .order_by("-id")
        .values_list(*columns)[:SHOWN]
    )
    longest = max((call_ms or 0.0 for *_, call_ms, _ in rows), default=0.0) or 1.0
    return [
        HistoryBar(
            id=run_id,
            tone=_tone(outcome, verdict),
            words=VERDICT_WORDS.get(verdict) or outcome.replace("_", " "),
            mode=mode,
            call_ms=call_ms,
            at=at,
            height=round(max(6.0, sqrt((call_ms or 0.0) / longest) * HEIGHT), 1),
        )
        for run_id, outcome, verdict, mode, call_ms, at in reversed(rows)
    ]


def _tone(outcome: str, verdict: str) -> str:
    if outcome in {"queued", "running", "cancelled"} or verdict == "unchecked":
        return "muted"
    return "good" if verdict == "conforms" else "bad"
