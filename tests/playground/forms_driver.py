"""A browser without a screen: what a page's form would send, by the letter of HTML.

Sources: HTML Living Standard, "Constructing the entry list", "Converting an entry list to a list of name-value pairs",
and the value sanitization of text controls.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.http import QueryDict
from selectolax.lexbor import LexborHTMLParser, LexborNode

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

    def controls(self) -> list[LexborNode]:
        return [
            control
            for control in self._tree.css("input, select, textarea, button")
            if "disabled" not in control.attributes and "name" in control.attributes
        ]

    def entries(self, *, pressed: str | None = None) -> Pairs:
        """The entry list; `pressed` is the value of the submit button."""
        found: Pairs = []
        for control in self.controls():
            name = control.attributes["name"] or ""
            if control.tag == "button" or control.attributes.get("type") in _BUTTONS:
                if pressed is not None and control.attributes.get("value") == pressed:
                    found.append((name, pressed))
                    pressed = None
            else:
                found += [(name, value) for value in values_of(control)]
        assert pressed is None, f"no button {pressed!r}"
        return found

    def submit(self, *, pressed: str | None = None, typed: dict[str, str | None] | None = None) -> Pairs:
        """What the server gets, after controls were given the values `typed` (None: the control is left out)."""
        entries = self.entries(pressed=pressed)
        if typed:
            kept = [(name, value) for name, value in entries if name not in typed]
            entries = kept + [(name, value) for name, value in typed.items() if value is not None]
        return wire(entries)


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
