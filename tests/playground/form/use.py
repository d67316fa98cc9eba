"""A form in use, for tests: what stands on its page, what is typed and pressed there, what comes of it."""

from __future__ import annotations

from typing import Any

from playground import form as schema_form
from playground.form.nodes import Node, children
from playground.templatetags.forms import draw_form
from tests.playground.form.driver import Page, Pairs, Person, wire
from toolspec.schema.validation import compile_schema


class FormInUse:
    """The form called "parameters" of one schema. Each press is a post, as without scripts."""

    def __init__(self, schema: Any, value: Any = schema_form.ABSENT, **options: Any) -> None:
        self.schema = compile_schema(schema)
        self.options = options
        self.show(schema_form.begin(self.schema, value, name="parameters", **options))

    def show(self, submission: schema_form.Submission) -> None:
        self.submission = submission
        self.html = draw_form(submission.form)
        self.page = Page(self.html)
        self.typed: dict[str, list[str]] = {}
        self.files: list[tuple[str, schema_form.Upload]] = []

    def type(self, tag: str, path: str, *texts: str) -> FormInUse:
        self.typed[f"parameters:{tag}:{path}"] = list(texts)
        return self

    def choose_file(self, path: str, name: str, content: bytes) -> FormInUse:
        self.files.append((f"parameters:f:{path}", schema_form.Upload(name, content)))
        return self

    def press(self, verb: str, path: str = "", detail: str = "") -> FormInUse:
        self._post(f"parameters:{verb}:{path}" + (f":{detail}" if detail else ""))
        return self

    def pick_kind(self, path: str, kind: str) -> FormInUse:
        return self.type("y", path, kind).press("kind", path)

    def pick_branch(self, path: str, wanted: str) -> FormInUse:
        return self.type("v", path, wanted).press("branch", path)

    def send(self) -> FormInUse:
        self._post(None)
        return self

    def _post(self, pressed: str | None) -> None:
        outside = pressed and pressed.startswith(
            "parameters:view:"
        )  # a button that the page around the form draws
        pairs = [
            *wire(self.page.entries(pressed=None if outside else pressed, typed=self.typed)),
            *self.files,
        ]
        if outside:
            pairs.append(("op", pressed))
        self.show(self.read(pairs))

    def read(self, pairs: Pairs) -> schema_form.Submission:
        """Read what a browser sent."""
        return schema_form.read_submission(self.schema, pairs, name="parameters", **self.options)

    def make_person(self, *, may_write_json: bool = False) -> Person:
        """Make somebody who fills in this form."""
        return Person(
            self.page,
            "parameters",
            lambda pairs: draw_form(self.read(pairs).form),
            may_write_json=may_write_json,
        )

    @property
    def value(self) -> Any:
        return self.submission.value

    @property
    def is_valid(self) -> bool:
        """Whether there is a value, and the last check found no problem in it."""
        return not self.submission.problems and self.value is not schema_form.ABSENT

    @property
    def messages(self) -> list[str]:
        return [error.message for error in self.submission.form.errors]

    def node(self, path: str = "") -> Node:
        waiting = [self.submission.form.root]
        for node in waiting:
            if node.head.path == path:
                return node
            waiting += children(node)
        raise LookupError(path)

    def kinds(self) -> dict[str, str]:
        """The control at each path."""
        waiting = [self.submission.form.root]
        for node in waiting:
            waiting += children(node)
        return {node.head.path: node.template for node in waiting}
