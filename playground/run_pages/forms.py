"""The forms on the page of a run."""

from __future__ import annotations

from django import forms

from playground.examples.save_as_example import one_line


class ShareForm(forms.Form):
    """The groups to share a run with, by their names."""

    groups = forms.CharField(required=False)

    def clean_groups(self) -> list[str]:
        names = (name.strip() for name in self.cleaned_data["groups"].split(","))
        return [name for name in names if name]


class ExampleForm(forms.Form):
    """A run as an example of its tool: preview the change to the spec, or publish it."""

    description = forms.CharField(required=False)
    expected = forms.IntegerField(
        min_value=0, max_value=999_999_999, required=False
    )  # the number of the revision that the page showed
    do = forms.CharField(required=False)

    def clean_description(self) -> str:
        return one_line(self.cleaned_data["description"])

    def clean_expected(self) -> int:
        return self.cleaned_data["expected"] or 0


def first_error(form: forms.Form) -> str:
    """The first message of a form that is not valid."""
    return str(next(iter(form.errors.values()))[0])
