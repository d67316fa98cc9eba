"""The base class of forms whose values are validated where they are stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from django import forms

from toolshelf_core.errors import HeldBySpec, NotAllowed, RevisionConflict
from toolshelf_core.form_problems import list_error_links
from toolspec.errors import DocumentError, ToolshelfError
from toolspec.text.pointers import split_pointer

Stored = TypeVar("Stored")

STATUSES: Final[dict[type[ToolshelfError], int]] = {
    HeldBySpec: 409,
    NotAllowed: 403,
    RevisionConflict: 409,
}


class StoredForm(forms.Form):
    """Its values are validated where they are stored; it shows the errors.

    `status` is the HTTP status of a page that shows them.
    """

    status = 422
    field_of_pointer: dict[str, str] = {}

    def store_with(self, store: Callable[[], Stored]) -> Stored | None:
        """The value that `store` returned; None if the form is not valid, or `store` refused it."""
        if not self.is_valid():
            return None
        try:
            return store()
        except (DocumentError, HeldBySpec, NotAllowed, RevisionConflict) as error:
            self.refuse(error)
            return None

    def refuse(self, error: ToolshelfError) -> None:
        """Show `error` at the fields that it concerns."""
        self.status = STATUSES.get(type(error), 422)
        if not isinstance(error, DocumentError):
            field = "tags" if isinstance(error, HeldBySpec) else getattr(error, "field", None)
            self.add_error(field if field in self.fields else None, str(error))
            return
        for problem in error.problems:
            name = split_pointer(problem.pointer)[0]
            self.add_error(self.field_of_pointer.get(name, name), problem.message)

    @property
    def page_status(self) -> int:
        """The HTTP status of the page that shows the form."""
        return self.status if self.errors else 200

    @property
    def error_links(self) -> list[dict[str, str]]:
        """The errors for `_error_summary.html`, each with a link to its field."""
        return list_error_links(self)
