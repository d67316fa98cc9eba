"""The structure of a page, apart from its words: its elements, what it loads, where it leads, what its forms send."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser

from tests.playground.form.driver import Page

LOADING = {
    "src",
    "srcset",
    "srcdoc",
    "data",
    "background",
    "poster",
    "action",
    "formaction",
    "xlink:href",
    "ping",
}


def tree(html: str) -> LexborHTMLParser:
    return LexborHTMLParser(html)


def outline(html: str) -> list[str]:
    """Every element in order, with the names of its attributes; nothing of its texts and values.

    Left out is what follows from the order of uploads and not from a text: the pictures of icons, the table of
    revisions with its verdicts, and the table of what each format makes of a name.
    """
    page = tree(html)
    for part in page.css("svg > *, #revisions > *, #compatibility > *"):
        part.decompose()
    return [f"{element.tag} {' '.join(sorted(element.attributes))}" for element in page.css("*")]


def tags(html: str) -> set[str]:
    return {element.tag or "" for element in tree(html).css("*")}


def unsafe_parts(html: str) -> list[str]:
    """Content that a strict page never has: scripts and styles in the page, handlers, addresses of other places."""
    found = []
    for element in tree(html).css("*"):
        attributes = element.attributes
        if element.tag in {
            "style",
            "iframe",
            "object",
            "embed",
            "base",
            "portal",
            "applet",
            "frame",
        }:
            found.append(f"<{element.tag}>")
        if element.tag == "script" and (not attributes.get("src") or element.text().strip()):
            found.append("<script> in the page")
        for name, value in attributes.items():
            if name.startswith("on") or name == "style":
                found.append(f"{element.tag} {name}")
            if name in LOADING and not (value or "/").startswith("/"):
                found.append(f"{element.tag} {name}={value}")
            if name in LOADING and (value or "").startswith("//"):
                found.append(f"{element.tag} {name}={value}")
            if name == "href" and urlsplit(re.sub(r"\s", "", value or "")).scheme not in {
                "",
                "http",
                "https",
            }:
                found.append(f"{element.tag} {name}={value}")
    return found


def form_entries(html: str) -> list[tuple[str, str]]:
    """The data that a browser would send for the form of a tool, with no button pressed."""
    form = tree(html).css_first("form#trial")
    assert form is not None
    return Page(form.html or "").submit()
