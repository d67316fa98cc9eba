"""The form of an upload, and the choices about imported tools that a form contains."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any, BinaryIO, Final, cast

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from catalog.uploads.choices import NO_CHOICES, REQUEST_S, Choices, ImportOptions, clean_id, keys_in

MAX_PREFIX_CHARS: Final = 100  # as in the API
PASTED: Final = "pasted text"
NamedFile = tuple[str, BinaryIO]


def choices_in(sent: QueryDict, earlier: Choices = NO_CHOICES) -> Choices:
    """The choices about the tools that a form shows, and the earlier ones about others.

    The tools with a box are in `offered`, a JSON array of keys, and those whose box is checked are in `take`. Each tool
    with a field has its key in `row`, the id that the import offers in `offered_id`, and the content of the field in
    `new_id`. `choices` are those about tools that the form does not show, as JSON.
    """
    others = Choices.from_json(sent.get("choices", ""))
    offered = _keys_in_json(sent.get("offered", "[]"))
    rows = list(
        zip(sent.getlist("row"), sent.getlist("offered_id"), sent.getlist("new_id"), strict=False)
    )
    new_ids = {**earlier.new_ids, **others.new_ids}
    for key, offered_id, typed in rows:
        new_ids.pop(key, None)
        new_id = clean_id(typed)
        if key and new_id not in {"", offered_id}:
            new_ids[key] = new_id
    skip = (earlier.skip | others.skip) - offered | (offered - set(sent.getlist("take")))
    return Choices(frozenset(skip), new_ids)


def _keys_in_json(array: str) -> frozenset[str]:
    try:
        return keys_in(json.loads(array))
    except (ValueError, RecursionError):
        return frozenset()


class UploadForm(forms.Form):
    """Files, pasted text, corrected specs (`fixed`, each from its `source`), and the options of the upload."""

    text = forms.Field(required=False)
    dry_run = forms.Field(required=False)
    no_prefix = forms.Field(required=False)
    replace = forms.Field(required=False)

    def __init__(self, data: QueryDict, files: MultiValueDict[str, UploadedFile[Any]]) -> None:
        self.sent = data
        self.sent_files = files
        super().__init__(data, files)
        self.fields["prefix"] = forms.Field(
            required=False
        )  # `prefix` as a class attribute belongs to Django's forms

    def clean_prefix(self) -> str:
        """The prefix for the ids of imported tools; "" takes it from the document."""
        if len(self.typed_prefix) > MAX_PREFIX_CHARS or "\0" in self.typed_prefix:
            raise forms.ValidationError(
                f"Enter at most {MAX_PREFIX_CHARS} characters, without NUL characters"
            )
        return self.typed_prefix

    @property
    def typed_prefix(self) -> str:
        return self.sent.get("prefix", "").strip()

    @property
    def options(self) -> ImportOptions:
        """How imported tools are published."""
        return ImportOptions(
            "" if self.has_no_prefix else self.typed_prefix or None,
            self.replaces,
            self.choices,
            REQUEST_S,
        )

    @property
    def has_no_prefix(self) -> bool:
        return "no_prefix" in self.sent

    @property
    def replaces(self) -> bool:
        """Whether imports may revise tools of another origin or owner."""
        return "replace" in self.sent

    @property
    def is_dry_run(self) -> bool:
        return "dry_run" in self.sent

    @property
    def choices(self) -> Choices:
        """The choices about imported tools."""
        return choices_in(self.sent)

    @property
    def entries(self) -> dict[str, str]:
        """The entries to restore after the user has signed in."""
        return {name: self.sent.get(name, "") for name in self.fields}

    @property
    def sources(self) -> list[NamedFile]:
        """The files and the texts, each with its name in the report."""
        return [*self._files(), *self._texts()]

    def _files(self) -> Iterator[NamedFile]:
        for file in self.sent_files.getlist("files"):
            if file.file is not None:
                yield file.name or "file", cast("BinaryIO", file.file)

    def _texts(self) -> Iterator[NamedFile]:
        fixed = zip(self.sent.getlist("source"), self.sent.getlist("fixed"), strict=False)
        for name, text in [(PASTED, self.sent.get("text", "")), *fixed]:
            if text.strip():  # browsers send line ends as CR LF
                yield name, io.BytesIO(text.replace("\r\n", "\n").encode(errors="surrogatepass"))
