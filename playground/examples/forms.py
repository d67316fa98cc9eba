"""The form that saves a run as an example."""

from __future__ import annotations

from django import forms

from playground.examples.save_as_example import one_line


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
