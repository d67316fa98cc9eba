"""Collect static files if one has changed: join stylesheets and scripts, hash and compress all."""

from __future__ import annotations

import fcntl
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage, Storage
from django.core.management import call_command

# The stylesheets in the order of the cascade, joined: a page is drawn when the last of them has
# arrived, and on a phone's network each request more costs a round trip. Only pages with forms for
# tools or with responses (Try, runs, comparisons, examples) link to the second file, which has the
# rules of these.
STYLESHEETS: Final = {
    "css/site.css": (
        *("tokens", "base", "words", "layouts", "frame", "dialogs"),
        *("text", "buttons", "badges", "panels", "tables", "tabs", "notices", "charts", "fields"),
        *("code", "json", "problems", "differences"),
        *("home", "schema", "tools", "tool_head", "organise", "revisions", "exports", "lint"),
        *("facets", "search", "uploads", "webhooks", "people", "audit_log"),
        *("history", "factories", "mcp"),
    ),
    "css/site-playground.css": (
        "runs",
        "responses",
        "trying",
        "examples",
        "form",
        "form_groups",
        "edit",
    ),
}

# The scripts of every page, except for the theme, which is set before anything is drawn.
SCRIPTS: Final = (
    "keys",
    "palette",
    "tabs",
    "copy",
    "times",
    "forms",
    "fields",
    "suggestions",
    "addresses",
)
SITE_SCRIPT: Final = "js/site.js"

# Files that Django's admin uses only under DEBUG, the translations of select2 (no page has an
# autocomplete field), and what django-ninja brings besides Swagger UI. Without these, collecting
# takes half the CPU time.
UNUSED = ["xregexp.js", "jquery.js", "select2.full.js", "i18n", "redoc*", "*-bundle.js.map"]


def collect_static() -> None:
    """Hash and compress the static files if any has changed. A lock serialises processes."""
    settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)
    mark = settings.STATIC_ROOT / ".fingerprint"
    with (settings.STATIC_ROOT / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        fingerprint = _make_fingerprint()
        if mark.exists() and mark.read_text() == fingerprint:
            return
        call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=UNUSED)
        mark.write_text(fingerprint)


def _make_fingerprint() -> str:
    """A value that changes if the name, size or time of a static file or a list here changes."""
    digest = hashlib.sha256(repr((STYLESHEETS, SCRIPTS)).encode())
    for entry in settings.STATICFILES_DIRS:
        folder = entry[1] if isinstance(entry, tuple) else entry  # it can have a prefix
        for path in sorted(Path(str(folder)).rglob("*")):
            if path.is_file() and "node_modules" not in path.parts:
                status = path.stat()
                digest.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


class JoinedFilesFinder(BaseFinder):
    """Finds `STYLESHEETS` and `SITE_SCRIPT`: several files in one, written when they are collected.

    They have no comments, and the stylesheets no indentation: 15.7 and 4.4 KB with Brotli. The
    script takes 7.1 KB; eight took 9.8, and 5 more for the headers of seven responses.
    """

    storage = FileSystemStorage(settings.DATA_DIR / "joined")

    def list(self, _ignore_patterns: object) -> Iterator[tuple[str, Storage]]:
        for path in (*STYLESHEETS, SITE_SCRIPT):
            self._write(path)
            yield path, self.storage

    def find(self, path: str, find_all: bool = False) -> Any:
        if path not in {*STYLESHEETS, SITE_SCRIPT}:
            return []
        self._write(path)
        return [self.storage.path(path)] if find_all else self.storage.path(path)

    def _write(self, path: str) -> None:
        text = join_scripts() if path == SITE_SCRIPT else join_stylesheets(STYLESHEETS[path])
        file = Path(self.storage.path(path))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def join_stylesheets(names: tuple[str, ...]) -> str:
    folder = settings.BASE_DIR / "static" / "css"
    text = "\n".join((folder / f"{name}.css").read_text() for name in names)
    return re.sub(r"/\*.*?\*/|^\s+", "", text, flags=re.DOTALL | re.MULTILINE)


def join_scripts() -> str:
    """Join the scripts, each in a block of its own, so that their names do not collide.

    None of them imports or exports a name.
    """
    folder = settings.BASE_DIR / "static" / "js"
    text = ""
    for name in SCRIPTS:
        script = (folder / f"{name}.js").read_text()
        text += f"{{\n{script}}}\n"
    return re.sub(r"^\s*//.*\n", "", text, flags=re.MULTILINE)
