"""The form of an upload, and the ids of imported tools that a form leaves out."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any, BinaryIO, Final, cast

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

MAX_PREFIX_CHARS: Final = 100  # as in the API
PASTED: Final = "pasted text"
NamedFile = tuple[str, BinaryIO]


def skipped_ids(sent: QueryDict) -> frozenset[str]:
    """The ids of the tools that a form offers in `offered`, a JSON array, but whose boxes `take` are not checked."""
    try:
        offered = json.loads(sent.get("offered", "[]"))
    except (ValueError, RecursionError):
        return frozenset()
    if not isinstance(offered, list):
        return frozenset()
    return frozenset(one for one in offered if isinstance(one, str)) - set(sent.getlist("take"))


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
        self.fields["prefix"] = forms.Field(required=False)  # `prefix` as a class attribute belongs to Django's forms

    def clean_prefix(self) -> str:
        """The prefix for the ids of imported tools; "" takes it from the document."""
        if len(self.typed_prefix) > MAX_PREFIX_CHARS or "\0" in self.typed_prefix:
            raise forms.ValidationError(f"Enter at most {MAX_PREFIX_CHARS} characters, without NUL characters")
        return self.typed_prefix

    @property
    def typed_prefix(self) -> str:
        return self.sent.get("prefix", "").strip()

    @property
    def prefix_of_imports(self) -> str | None:
        """The prefix as uploads take it: None takes it from the document, "" is none."""
        return "" if self.has_no_prefix else self.typed_prefix or None

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
    def skipped(self) -> frozenset[str]:
        """The ids of imported tools that the person leaves out."""
        return skipped_ids(self.sent)

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
