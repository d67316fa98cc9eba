"""What the frame of every page shows, beside what Django adds."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from catalog.proposals.actions import changes_to_review


def review(request: HttpRequest) -> dict[str, object]:
    """`changes_to_review`: the changes that the person may approve or reject.

    They are read when a template asks for them.
    """
    user = getattr(request, "user", None)  # a request that is refused early has none
    if user is None or not user.is_authenticated:
        return {}
    return {"changes_to_review": SimpleLazyObject(lambda: changes_to_review(user))}
