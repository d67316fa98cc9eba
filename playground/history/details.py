"""What the page of an ended run offers besides its result: facts, sharing, code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from accounts.models import Person
from catalog.access.rights import may
from catalog.tools.page import Usage
from playground.history.presenters import snippets
from playground.runs.models import VISITOR, Run


@dataclass(frozen=True)
class RunDetails:
    """The details of a stored run that has ended.

    Attributes:
        snippets: the same call in code.
        is_current: whether it is a run of the tool's current revision.
        can_repeat: whether its input is complete: a configuration without a name is not stored.
        save_label: the words of the link that makes an example of it; "" without the link.
        is_own: whether the person may share it.
        shared_with: names of groups, if the person may share it.
    """

    snippets: Sequence[Usage]
    is_current: bool
    can_repeat: bool
    save_label: str
    is_own: bool
    shared_with: Sequence[str]


def details_of(run: Run, person: Person, site: str) -> RunDetails | None:
    """The details of `run` for `person`.

    None while it is active, if it is not stored, and for a visitor's run.

    `site` is the URL of the site, without a trailing slash.
    """
    if run._state.adding or run.is_active or run.mode == VISITOR:
        return None
    is_own = run.is_changeable_by(person)
    groups = run.groups.order_by("name").values_list("name", flat=True)
    return RunDetails(
        snippets=snippets(run, site),
        is_current=run.tool.current_id == run.revision_id,
        can_repeat=run.has_complete_input,
        save_label=_save_label(run, person) if is_own else "",
        is_own=is_own,
        shared_with=list(groups) if is_own else [],
    )


def _save_label(run: Run, person: Person) -> str:
    is_example = run.mode == "live" and run.has_response and not run.response_cut
    if not is_example or run.verdict == "violates":
        return ""
    if may(person, "revise", run.tool):
        return "Save as an example"
    return "Propose as an example" if may(person, "propose", run.tool) else ""
