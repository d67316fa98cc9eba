"""The forms on the page of a run."""

from __future__ import annotations

from django import forms


class ShareForm(forms.Form):
    """The groups to share a run with, by their names."""

    groups = forms.CharField(required=False)

    def clean_groups(self) -> list[str]:
        names = (name.strip() for name in self.cleaned_data["groups"].split(","))
        return [name for name in names if name]


def first_error(form: forms.Form) -> str:
    """The first message of a form that is not valid."""
    return str(next(iter(form.errors.values()))[0])
