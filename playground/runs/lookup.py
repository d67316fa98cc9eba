"""Get the run that a URL names, or answer 404: for the pages and for the API."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import Http404

from accounts.models import Person
from playground.runs.models import Run
from toolshelf_core.errors import NotAllowed


def run_at(run_id: str, person: Person) -> Run:
    """Find the run, with its user, its revision, and its tool with the current revision.

    The texts of specs are not loaded.

    Raises:
        Http404: it does not exist, or `person` may not see it.
    """
    return runs_at([run_id], person)[0]


def runs_at(run_ids: Sequence[str], person: Person) -> list[Run]:
    """The runs as `run_at` returns them, in the order of `run_ids`, by one query.

    Raises:
        Http404: one does not exist, or `person` may not see it.
    """
    runs = (
        Run.objects.visible_to(person)
        .with_names()
        .select_related("tool__current")
        .defer("tool__current__source")
    )
    runs_by_id = runs.in_bulk(run_ids)
    try:
        return [runs_by_id[run_id] for run_id in run_ids]
    except KeyError:
        raise Http404 from None


def own_run(run_id: str, person: Person) -> Run:
    """The run, if `person` may change it, rather than only see it because it is shared.

    Raises:
        Http404: as for `run_at`.
        NotAllowed: the run belongs to another person.
    """
    run = run_at(run_id, person)
    require_own(run, person)
    return run


def require_own(run: Run, person: Person) -> None:
    """Check that `person` may change the run.

    Raises:
        NotAllowed: the run belongs to another person.
    """
    if not run.is_changeable_by(person):
        raise NotAllowed("Only the person who started this run and administrators can do this.")
