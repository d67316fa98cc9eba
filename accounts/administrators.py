"""Pages and operations for administrators only."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from accounts.models import Person, User
from accounts.roles import is_administrator, token_of
from toolshelf_core.errors import NotAllowed

ONLY_ADMINISTRATORS = "Only administrators can do this."


def administrators_only(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Answer 403 with the reason to users who do not administer the site."""

    def check_and_call(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        require_administrator(request.user)
        return view(request, *args, **kwargs)

    return login_required(check_and_call)


def require_administrator(person: Person | None) -> None:
    """Check that `person` administers the site; None is the administrator of the machine.

    Raises:
        NotAllowed: they do not, or the token of their program lacks the scope.
    """
    problem = explain_refusal(person)
    if problem:
        raise NotAllowed(problem)


def explain_refusal(person: Person | None) -> str:
    """Why `person` may not administer the site; "" if they may."""
    if person is None:
        return ""
    token = token_of(person)
    if token is not None and "admin" not in token.scopes:
        return f"This token lacks the scope 'admin'; it has: {', '.join(token.scopes)}."
    if is_administrator(person):
        return ""
    if not isinstance(person, User):
        return "Sign in to do this."
    return ONLY_ADMINISTRATORS
