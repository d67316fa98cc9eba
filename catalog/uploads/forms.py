"""The form of an upload, with the choices about imported tools and the files of an earlier check."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, BinaryIO, Final, cast

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from catalog.uploads.checked_files import (
    MAX_CHARS,
    CheckedFile,
    NotReadable,
    read_checked_file,
    write_checked_file,
)
from catalog.uploads.choices import REQUEST_S, Choices, ImportOptions, clean_id, keys_in

MAX_PREFIX_CHARS: Final = 100  # as in the API
MAX_RESTORED_CHARS: Final = 256 * 1024  # of checked files
PASTED: Final = "pasted text"
NamedFile = tuple[str, BinaryIO]


def choices_in(sent: QueryDict) -> Choices:
    """The choices about the tools that a form shows, and those about others.

    The tools with a box are in `offered`, a JSON array of keys, and those whose box is checked are
    in `take`. Each tool with a field has its key in `row`, the id that the import offers in
    `offered_id`, and the content of the field in `new_id`. `choices` are those about tools that the
    form does not show, as JSON.
    """
    others = Choices.from_json(sent.get("choices", ""))
    offered = _keys_in_json(sent.get("offered", "[]"))
    rows = list(
        zip(sent.getlist("row"), sent.getlist("offered_id"), sent.getlist("new_id"), strict=False)
    )
    new_ids = dict(others.new_ids)
    for key, offered_id, typed in rows:
        new_ids.pop(key, None)
        new_id = clean_id(typed)
        if key and new_id not in {"", offered_id}:
            new_ids[key] = new_id
    skip = others.skip - offered | (offered - set(sent.getlist("take")))
    return Choices(frozenset(skip), new_ids)


def _keys_in_json(array: str) -> frozenset[str]:
    try:
        return keys_in(json.loads(array))
    except (ValueError, RecursionError):
        return frozenset()


class UploadForm(forms.Form):
    """Files, pasted text, corrected specs (`fixed`, each from its `source`), and the options of the upload.

    `checked` are the files of an earlier check; a chosen file replaces the one with its name.
    """

    text = forms.Field(required=False)
    dry_run = forms.Field(required=False)
    no_prefix = forms.Field(required=False)
    replace = forms.Field(required=False)

    def __init__(self, data: QueryDict, files: MultiValueDict[str, UploadedFile[Any]]) -> None:
        self.sent = data
        self.sent_files = files
        self._checked: list[tuple[CheckedFile, BinaryIO]] = []
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

    def clean(self) -> dict[str, Any]:
        new_names = {name for name, _ in self._files()}
        left = settings.MAX_UPLOAD_BYTES
        for text in self.sent.getlist("checked"):
            try:
                checked, content = read_checked_file(text, most=left)
            except NotReadable as error:
                raise forms.ValidationError(str(error)) from error
            left -= checked.size
            if checked.name not in new_names:
                self._checked.append((checked, content))
        return self.cleaned_data

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
            offers_all=True,
        )

    @property
    def has_no_prefix(self) -> bool:
        return "no_prefix" in self.sent

    @property
    def replaces(self) -> bool:
        """Whether imports may revise tools of another origin or owner."""
        return "replace" in self.sent

    @property
    def connects(self) -> bool:
        """Whether an API's document becomes a source that runs; the person can deselect it."""
        return "connect" in self.sent or "connect_offered" not in self.sent

    @property
    def is_dry_run(self) -> bool:
        return "dry_run" in self.sent

    @property
    def choices(self) -> Choices:
        """The choices about imported tools."""
        return choices_in(self.sent)

    @property
    def entries(self) -> dict[str, object]:
        """The entries to restore after the user has signed in; checked files only if they are small."""
        self.full_clean()
        texts = {name: self.sent.get(name, "") for name in self.fields}
        files = [asdict(file) for file in self.earlier_files]
        is_small = sum(len(file.text) for file in self.earlier_files) <= MAX_RESTORED_CHARS
        restored = files if is_small else []
        return {**texts, "choices": self.choices.to_json(), "checked_files": restored}

    @property
    def sources(self) -> list[NamedFile]:
        """The files and the texts of a valid form, each with its name in the report."""
        checked = [(file.name, content) for file, content in self._checked]
        pasted = [*_named_text(PASTED, self.sent.get("text", ""))]
        return [*self._files(), *checked, *pasted, *self._corrected_specs()]

    @property
    def has_files(self) -> bool:
        """Whether it has files or corrected specs, which its page does not contain by itself."""
        return bool(self._checked or [*self._files()] or [*self._corrected_specs()])

    @property
    def earlier_files(self) -> list[CheckedFile]:
        """The files of an earlier check, to be sent again with the next page."""
        return [file for file, _ in self._checked]

    def files_to_send_again(self) -> list[CheckedFile]:
        """All files and corrected specs of the form for its next page; none if they are too large for that."""
        room = MAX_CHARS - len(self.sent.get("text", ""))
        new_files = [*self._files(), *self._corrected_specs()]
        files = self.earlier_files + [write_checked_file(name, file) for name, file in new_files]
        return files if sum(len(file.text) for file in files) <= room else []

    def _files(self) -> Iterator[NamedFile]:
        for file in self.sent_files.getlist("files"):
            if file.file is not None:
                yield file.name or "file", cast("BinaryIO", file.file)

    def _corrected_specs(self) -> Iterator[NamedFile]:
        for name, text in zip(
            self.sent.getlist("source"), self.sent.getlist("fixed"), strict=False
        ):
            yield from _named_text(name, text)


def _named_text(name: str, text: str) -> Iterator[NamedFile]:
    if text.strip():  # browsers send line ends as CR LF
        yield name, io.BytesIO(text.replace("\r\n", "\n").encode(errors="surrogatepass"))
