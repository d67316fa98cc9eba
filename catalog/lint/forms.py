"""The form that waives a finding."""

from __future__ import annotations

from django import forms

from accounts.models import User
from catalog.lint.waivers import waive
from catalog.tools.lint_models import Waiver
from catalog.tools.models import Tool
from toolshelf_core.stored_form import StoredForm


class WaiverForm(StoredForm):
    """A finding to waive: a rule at `pointer`, or `everywhere`."""

    rule = forms.CharField(required=False, strip=False)
    pointer = forms.CharField(required=False, strip=False)
    everywhere = forms.BooleanField(required=False)
    reason = forms.CharField(required=False, strip=False)

    def save(self, tool: Tool, by: User) -> Waiver | None:
        """Store the waiver; None if it was refused."""
        return self.store_with(lambda: self._waive(tool, by))

    def _waive(self, tool: Tool, by: User) -> Waiver:
        pointer = "" if "everywhere" in self.data else self.cleaned_data["pointer"]
        return waive(
            tool,
            rule=self.cleaned_data["rule"],
            pointer=pointer,
            reason=self.cleaned_data["reason"],
            by=by,
        )
