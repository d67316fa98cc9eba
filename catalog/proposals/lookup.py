"""Look up a proposal for a URL."""

from __future__ import annotations

from django.http import Http404

from accounts.models import Person
from catalog.proposals.models import Proposal


def proposal_at(pk: int, person: Person, **conditions: object) -> Proposal:
    """A change that waits, or waited, for approval.

    Args:
        pk: its key.
        person: who asks for it.
        conditions: what else must hold, such as `source=None` for proposals of people.

    Raises:
        Http404: there is none, or `person` may not see it.
    """
    changes = Proposal.objects.visible_to(person).select_related(
        "source", "decided_by", "proposed_by", "base"
    )
    change = changes.defer("source__document").filter(pk=pk, **conditions).first()
    if change is None:
        raise Http404
    return change
