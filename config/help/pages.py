"""The documents of `docs/` as pages of the site."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from django.conf import settings
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from toolshelf_core.rendering.markdown import Document, Heading, read_document

_LANGUAGES: Final = {
    "sh": "Shell",
    "python": "Python",
    "toml": "TOML",
    "json": "JSON",
    "yaml": "YAML",
    "text": "Output",
}
GROUPS: Final = (
    ("Use", ("search", "try", "configurations", "upload", "review")),
    (
        "Build",
        (
            *("contract", "ci", "mocks", "write-a-tool"),
            *("factories", "sources", "mcp", "api", "code", "webhooks"),
        ),
    ),
    ("Operate", ("operations", "settings", "sign-in", "rights", "audit")),
)
"""The documents by reader: who uses a site, builds or connects tools, or operates a site."""
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


@dataclass(frozen=True)
class HelpPage:
    """One document as a page.

    Attributes:
        slug: the name of its file, without the extension.
        summary: its first paragraph as one line of text.
        headings: of its sections.
    """

    slug: str
    title: str
    summary: str
    headings: tuple[Heading, ...]
    content: SafeString

    @property
    def teaser(self) -> str:
        """The first sentence of the summary."""
        return _SENTENCE_END.split(self.summary, maxsplit=1)[0]


def help_groups() -> list[tuple[str, list[HelpPage]]]:
    """Every document: (title of a group, its documents)."""
    return [(title, list(map(_read_page, slugs))) for title, slugs in GROUPS]


def help_page(slug: str) -> HelpPage | None:
    """The document of this name, if there is one."""
    if not any(slug in slugs for _, slugs in GROUPS):
        return None
    return _read_page(slug)


def _folder() -> Path:
    return Path(settings.BASE_DIR) / "docs"


def _read_page(slug: str) -> HelpPage:
    file = _folder() / f"{slug}.md"
    return _render(file, file.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _render(file: Path, _changed_at: int) -> HelpPage:
    text = file.read_text("utf-8")
    document: Document = read_document(text, link=_find_url, code=_render_code, image=_read_image)
    return HelpPage(
        file.stem,
        document.title or file.stem,
        document.summary,
        document.headings,
        mark_safe(document.html),  # noqa: S308
    )


def _find_url(target: str) -> str | None:
    """The URL on this site of a link in a document; None if its file is not on the site."""
    path, mark, fragment = target.partition("#")
    if not path or ":" in path:
        return target
    name = posixpath.normpath(path)
    if not name.endswith(".md") or not (_folder() / name).is_file() or "/" in name:
        return None
    return reverse("help_page", args=[name.removesuffix(".md")]) + mark + fragment


def _read_image(target: str) -> dict[str, str] | None:
    """The attributes of a picture in a document: a WebP in `static/`, as Chromium writes it.

    Its size is in the header of the extended format: RFC 9649, section 2.7.
    """
    file = (_folder() / target).resolve()
    folder = Path(settings.BASE_DIR) / "static"
    if file.suffix != ".webp" or not file.is_relative_to(folder) or not file.is_file():
        return None
    header = file.read_bytes()[:30]
    return {
        "src": static(str(file.relative_to(folder))),
        "width": str(int.from_bytes(header[24:27], "little") + 1),
        "height": str(int.from_bytes(header[27:30], "little") + 1),
    }


def _render_code(number: int, info: str, text: str) -> str:
    """Render a code block with its title: the file's name after the language, else the language."""
    language, _, file = info.partition(" ")
    title = file or _LANGUAGES.get(language, language)
    if language == "diff":
        title = f"Change of {title}"
    return render_to_string(
        "help/_code.html", {"target": f"code-{number}", "title": title, "text": text}
    )
