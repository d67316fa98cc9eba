"""A browser without a screen: what a page's form would send, by the letter of HTML.

Sources: HTML Living Standard, "Constructing the entry list", "Converting an entry list to a list of name-value pairs",
and the value sanitization of text controls.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import unquote, urlencode

from django.http import QueryDict
from selectolax.lexbor import LexborHTMLParser, LexborNode

from playground.form.control_names import member_path
from playground.form.values import is_fragile, kind_of
from tests.playground.form.pairs import same
from toolspec.text import reader
from toolspec.text.reader import Number

Pairs = list[tuple[str, str]]

_BUTTONS = {"submit", "button", "reset", "image"}


@dataclass
class Page:
    """A page with one form."""

    html: str
    _tree: LexborHTMLParser = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._tree = LexborHTMLParser(f"<!DOCTYPE html><body><form>{self.html}</form></body>")

    def select(self, selector: str) -> list[LexborNode]:
        return self._tree.css(selector)

    def by_id(self, name: str) -> LexborNode | None:
        return self._by_id.get(name)

    @cached_property
    def _by_id(self) -> dict[str, LexborNode]:
        return {element.attributes["id"] or "": element for element in self._tree.css("[id]")}

    @cached_property
    def controls(self) -> list[LexborNode]:
        return [
            control
            for control in self._tree.css("input, select, textarea, button")
            if "disabled" not in control.attributes and "name" in control.attributes
        ]

    @cached_property
    def by_name(self) -> dict[str, LexborNode]:
        """The controls that are no buttons; of several with one name, the first."""
        found: dict[str, LexborNode] = {}
        for control in self.controls:
            if control.tag != "button":
                found.setdefault(control.attributes["name"] or "", control)
        return found

    @cached_property
    def buttons(self) -> set[str]:
        return {
            control.attributes.get("value") or ""
            for control in self.controls
            if control.tag == "button"
        }

    def selectors(self, name: str) -> list[LexborNode]:
        return [control for control in self.controls if control.attributes["name"] == name]

    def rows(self, name: str) -> list[str]:
        return [control.attributes.get("value") or "" for control in self.selectors(name)]

    def paths(self, tag: str) -> list[str]:
        """The paths that have a control with this tag."""
        names = (name.split(":", 2) for name in self.by_name if name.count(":") >= 2)
        return [path for _form, found, path in names if found == tag]

    def entries(
        self, *, pressed: str | None = None, typed: dict[str, list[str]] | None = None
    ) -> Pairs:
        """The entry list: `pressed` is the value of the submit button, `typed` what each named control now holds."""
        typed = typed or {}
        found: Pairs = []
        done = set()
        for control in self.controls:
            name = control.attributes["name"] or ""
            if control.tag == "button" or control.attributes.get("type") in _BUTTONS:
                if pressed is not None and control.attributes.get("value") == pressed:
                    found.append((name, pressed))
                    pressed = None
            elif name not in typed:
                found += [(name, value) for value in values_of(control)]
            elif name not in done:
                done.add(name)
                found += [(name, value) for value in typed[name]]
        assert pressed is None, f"no button {pressed!r}"
        assert done == typed.keys(), f"no control {typed.keys() - done}"
        return found

    def submit(
        self, *, pressed: str | None = None, typed: dict[str, list[str]] | None = None
    ) -> Pairs:
        """The data that the server gets."""
        return wire(self.entries(pressed=pressed, typed=typed))


def values_of(control: LexborNode) -> list[str]:
    """The values of a control that is no button."""
    attributes = control.attributes
    if control.tag == "select":
        return _selected(control)
    if control.tag == "textarea":
        return [control.text(deep=True)]
    kind = (attributes.get("type") or "text").lower()
    if kind in {"checkbox", "radio"}:
        return [attributes.get("value") or ""] if "checked" in attributes else []
    if kind == "file":
        return []
    value = attributes.get("value") or ""
    return [value] if kind == "hidden" else [re.sub("[\r\n]", "", value)]


def _selected(select: LexborNode) -> list[str]:
    options = select.css("option")
    chosen = [option for option in options if "selected" in option.attributes]
    if "multiple" not in select.attributes:
        chosen = chosen[-1:] or options[:1]
    return [option.attributes.get("value") or "" for option in chosen]


def wire(entries: Pairs) -> Pairs:
    """`entries` after their way to the server: encoded by the browser, read by Django."""
    text = urlencode([(_crlf(name), _crlf(value)) for name, value in entries])
    got = QueryDict(text.encode("ascii"), mutable=False)
    return [(name, value) for name, values in got.lists() for value in values]


def _crlf(text: str) -> str:
    return re.sub("\r\n|\r|\n", "\r\n", text)


class NoWayError(Exception):
    """The page offers no control for a part of the value."""


class _PressedError(Exception):
    """A button was pressed, and there is another page now."""


@dataclass
class Person:
    """Somebody who knows the value, and uses nothing but what the page offers: types, picks, presses.

    Attributes:
        post: sends pairs and gives the next page's HTML.
        may_write_json: whether the person may turn to raw JSON where no control fits.
        raw: how often that was needed.
    """

    page: Page
    form: str
    post: Callable[[Pairs], str]
    may_write_json: bool = False
    raw: int = 0
    presses: int = 0
    _typed: dict[str, list[str]] = field(default_factory=dict)
    _written: set[str] = field(default_factory=set)
    _tried: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def fill(self, value: Any, *, most_presses: int = 400) -> Pairs:
        """Make the page hold `value`; what a plain submit then sends."""
        while True:
            try:
                self._fill(value)
                return wire(self._entries(None))
            except _PressedError:
                if self.presses > most_presses:
                    raise NoWayError("too many presses") from None

    def _fill(self, value: Any) -> None:
        try:
            self._make("", value)
        except NoWayError:
            if self._can_press("all", ""):
                self._press("all", "")
            if not self.may_write_json:
                raise
            self._write_json("", value)

    # The content of the page

    def _control(self, tag: str, path: str) -> LexborNode | None:
        return self._by_name.get(f"{self.form}:{tag}:{path}")

    @property
    def _by_name(self) -> dict[str, LexborNode]:
        return self.page.by_name

    def _has(self, path: str) -> bool:
        return any(self._control(tag, path) is not None for tag in "oastqnbjezyi")

    def _entries(self, pressed: str | None) -> Pairs:
        return self.page.entries(pressed=pressed, typed=self._typed)

    def _type(self, tag: str, path: str, *values: str) -> None:
        self._typed[f"{self.form}:{tag}:{path}"] = list(values)

    def _press(self, verb: str, path: str) -> None:
        self.presses += 1
        self.page = Page(self.post(wire(self._entries(f"{self.form}:{verb}:{path}"))))
        self._typed = {}
        raise _PressedError

    def _can_press(self, verb: str, path: str) -> bool:
        return f"{self.form}:{verb}:{path}" in self.page.buttons

    # Actions on the page

    def _make(self, path: str, value: Any) -> None:
        try:
            self._make_by_fields(path, value)
        except NoWayError:
            self._other_branch(path)
            raise

    def _make_by_fields(self, path: str, value: Any) -> None:
        if self._control("e", path) is not None:
            if path in self._written:
                self._type("e", path, reader.dumps(value))
                return
            self._press_kind(path, "fields")
        if self._pick(path, value):
            return
        makers = {
            dict: self._object,
            list: self._array,
            str: self._text,
            bool: self._boolean,
            type(None): self._null,
        }
        makers.get(type(value), self._number)(path, value)

    def _pick(self, path: str, value: Any) -> bool:
        control = self._control("j", path)
        if control is None or control.attributes.get("type") == "hidden":
            return False
        if control.tag == "input":  # it is what it must be
            text = control.attributes.get("value") or ""
            return same(json.loads(text, parse_float=Number), value) or self._fallback_kind(
                path, value
            )
        for option in control.css("option"):
            text = option.attributes.get("value") or ""
            if text and same(json.loads(text, parse_float=Number), value):
                self._type("j", path, text)
                return True
        return self._fallback_kind(path, value)

    def _fallback_kind(self, path: str, value: Any) -> bool:
        if self._offers_kind(path, "free"):
            self._press_kind(path, "free")
        if self._offers_kind(path, kind_of(value)):
            self._press_kind(path, kind_of(value))
        raise NoWayError(path)

    def _offers_kind(self, path: str, kind: str) -> bool:
        selector = self._control("y", path)
        return selector is not None and any(
            option.attributes.get("value") == kind for option in selector.css("option")
        )

    def _press_kind(self, path: str, kind: str) -> None:
        if not self._offers_kind(path, kind):
            raise NoWayError(path)
        self._type("y", path, kind)
        self._press("kind", path)

    def _text(self, path: str, value: str) -> None:
        for tag in "st":
            control = self._control(tag, path)
            if control is None:
                continue
            if "\n" in value and control.tag != "textarea":
                raise NoWayError(path)
            if not typeable(value):
                self._press_kind(path, "literal")
            self._type(tag, path, value)
            if tag == "t":
                self._type("x", path, *(() if value else ("1",)))
            return
        if self._control("q", path) is not None:
            self._type("q", path, json.dumps(value))
            return
        self._press_kind(path, "text")

    def _number(self, path: str, value: Any) -> None:
        if self._control("n", path) is None:
            self._press_kind(path, "number")
        self._type("n", path, value.lexeme if isinstance(value, Number) else str(value))

    def _boolean(self, path: str, value: bool) -> None:
        if self._control("b", path) is None:
            self._press_kind(path, "boolean")
        self._type("b", path, "true" if value else "false")

    def _null(self, path: str, _value: None) -> None:
        control = self._control("j", path)
        if control is None or control.attributes.get("value") != "null":
            self._press_kind(path, "null")

    def _object(self, path: str, value: dict[str, Any]) -> None:
        if self._control("o", path) is None:
            self._begin_container(path, "object")
        keys = self._keys(path)
        for name, member in value.items():
            row = next((row for row, key in keys.items() if key == name), None)
            if self._has(member_path(path, name)):
                self._make(member_path(path, name), member)
            elif row is not None:
                self._make(f"{path}/@{row}", member)
            else:
                self._add_entry(path, name)
        for row, key in keys.items():
            if key not in value:
                self._press("remove", f"{path}/@{row}")
        for name in self._members(path):
            if name not in value:
                self._clear(member_path(path, name))

    def _add_entry(self, path: str, name: str) -> None:
        if self._control("nk", path) is None or not typeable(name) or "\n" in name:
            raise NoWayError(f"{path} has no place for {name!r}")
        self._type("nk", path, name)
        self._press("entry", path)

    def _begin_container(self, path: str, kind: str) -> None:
        if self._can_press("add", path) and not self._offers_kind(path, kind):
            self._press("add", path)
        self._press_kind(path, kind)

    def _keys(self, path: str) -> dict[str, str]:
        """The extra entries at `path`: row and key."""
        found = {}
        for name, control in self._by_name.items():
            for tag in "kl":
                prefix = f"{self.form}:{tag}:{path}/@"
                row = name.removeprefix(prefix)
                if name.startswith(prefix) and "/" not in row:
                    text = control.attributes.get("value") or ""
                    found[row] = json.loads(text) if tag == "l" else text
        return found

    def _members(self, path: str) -> list[str]:
        """The declared members at `path` that have controls."""
        below = {}
        for name in self._by_name:
            _form, _tag, full = name.split(":", 2) if name.count(":") >= 2 else ("", "", "")
            if full.startswith(f"{path}/."):
                token = full[len(path) + 1 :].split("/")[0]
                below[unquote(token[1:])] = None
        return list(below)

    def _clear(self, path: str) -> None:
        for tag in "tnj":
            control = self._control(tag, path)
            if control is not None and (tag != "j" or self._has_empty_option(control)):
                self._type(tag, path, "")
                if tag == "t":
                    self._type("x", path)
                return
        if self._control("b", path) is not None:
            self._type("b", path, "")
            return
        if not self._has_value(path):
            return
        if self._can_press("remove", path):
            self._press("remove", path)
        if not self._offers_kind(path, "none") and self._typed and self._can_press("refresh", ""):
            self._press("refresh", "")
        self._press_kind(path, "none")

    def _has_empty_option(self, control: LexborNode) -> bool:
        return any(not option.attributes.get("value") for option in control.css("option"))

    def _has_value(self, path: str) -> bool:
        return any(self._control(tag, path) is not None for tag in "oasqje")

    def _array(self, path: str, value: list[Any]) -> None:
        if self._control("i", path) is not None and (value or self._control("a", path) is not None):
            return self._tick(path, value)
        if self._control("a", path) is None:
            self._begin_container(path, "array")
        rows = self.page.rows(f"{self.form}:r:{path}")
        if len(rows) > len(value):
            self._press("remove", f"{path}/@{rows[-1]}")
        for row, item in zip(rows, value, strict=False):
            self._make(f"{path}/@{row}", item)
        if len(rows) < len(value):
            if not self._can_press("item", path):
                raise NoWayError(path)
            self._press("item", path)
        return None

    def _tick(self, path: str, value: list[Any]) -> None:
        offered = self.page.rows(f"{self.form}:i:{path}")
        chosen = [
            text
            for text in offered
            for item in value
            if same(json.loads(text, parse_float=Number), item)
        ]
        if not same([json.loads(text, parse_float=Number) for text in chosen], value):
            self._press_kind(path, "rows")
        self._type("i", path, *chosen)

    def _other_branch(self, path: str) -> None:
        for selector in self.page.selectors(f"{self.form}:v:{path}"):
            for option in selector.css("option"):
                wanted = option.attributes.get("value") or ""
                tried = self._tried.setdefault((path, wanted.partition("=")[0]), set())
                if wanted and wanted not in tried:
                    tried.add(wanted)
                    self._type("v", path, wanted)
                    self._press("branch", path)

    def _write_json(self, path: str, value: Any) -> None:
        self.raw += path not in self._written
        self._written.add(path)
        if self._control("e", path) is None:
            self._press_kind(path, "json")
        self._type("e", path, reader.dumps(value))


def typeable(text: str) -> bool:
    """Whether a keyboard can type it into a control."""
    return not is_fragile(text)
