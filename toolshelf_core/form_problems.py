"""Errors of Django forms, as the API reports them and as pages link to them."""

from __future__ import annotations

from django.core.exceptions import NON_FIELD_ERRORS
from django.forms import BaseForm

from toolspec.errors import DocumentError, Problem


def require_valid(form: BaseForm, kind: str) -> None:
    """Check that `form` is valid.

    Args:
        form: its fields have the names of the API's members.
        kind: the beginning of the problems' rules, such as "webhook".

    Raises:
        DocumentError: it is not; with pointers such as "/url" and rules such as "webhook.url";
            an error of the whole form has its code as the rule.
    """
    problems = []
    for name, errors in form.errors.as_data().items():
        for error in errors:
            is_general = name == NON_FIELD_ERRORS
            pointer = "" if is_general else f"/{name}"
            rule = error.code if is_general else name
            problems.append(Problem(pointer, error.messages[0], f"{kind}.{rule}"))
    if problems:
        raise DocumentError(problems)


def list_error_links(form: BaseForm) -> list[dict[str, str]]:
    """The errors for `_error_summary.html`, each with a link to its field."""
    links = []
    for name, messages in form.errors.items():
        href = "" if name == NON_FIELD_ERRORS else f"#{name}"
        links += [{"href": href, "message": str(message)} for message in messages]
    return links
