"""Get the run that a URL names, or answer 404: for the pages and for the API."""

from __future__ import annotations

from django.shortcuts import get_object_or_404

from catalog.accounts.models import Person
from catalog.errors import NotAllowed
from playground.models import Run


def run_at(run_id: str, person: Person) -> Run:
    """The run, with its tool, revision and user selected.

    Raises:
        Http404: it does not exist, or `person` may not see it.
    """
    return get_object_or_404(Run.objects.visible_to(person).with_names(), pk=run_id)


def own_run(run_id: str, person: Person) -> Run:
    """The run, if `person` may change it, rather than only see it because it is shared.

    Raises:
        Http404: as for `run_at`.
        NotAllowed: the run belongs to another person.
    """
    run = run_at(run_id, person)
    if not Run.objects.changeable_by(person).filter(pk=run.pk).exists():
        raise NotAllowed("Only the person who started this run and administrators can do this.")
    return run
