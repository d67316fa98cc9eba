"""Read settings from the environment: typed, with a plain sentence if a value is wrong.

`config/settings.py` is the only caller.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Collection
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

TRUE_WORDS = {"1", "true", "yes", "on"}
FALSE_WORDS = {"0", "false", "no", "off"}


def text(name: str, default: str) -> str:
    return os.environ.get(name, default)


def flag(name: str, *, default: bool) -> bool:
    value = os.environ.get(name)
    if value is None:
        return default
    word = value.strip().lower()
    if word not in TRUE_WORDS | FALSE_WORDS:
        raise ImproperlyConfigured(f"{name} is {value!r}; it takes one of {sorted(TRUE_WORDS | FALSE_WORDS)}.")
    return word in TRUE_WORDS


def number(name: str, default: int, *, minimum: int = 0) -> int:
    value = os.environ.get(name)
    if value is None:
        return default
    if not value.strip().isascii() or not value.strip().isdecimal() or int(value) < minimum:
        raise ImproperlyConfigured(f"{name} is {value!r}; it takes a whole number of at least {minimum}.")
    return int(value)


def words(name: str, default: str = "") -> list[str]:
    """A list whose members are separated by commas or white space."""
    return os.environ.get(name, default).replace(",", " ").split()


def choice(name: str, default: str, accepted: Collection[str]) -> str:
    value = os.environ.get(name, default)
    if value not in accepted:
        raise ImproperlyConfigured(f"{name} is {value!r}; it takes one of {sorted(accepted)}.")
    return value


SQLITE = {
    "ENGINE": "django.db.backends.sqlite3",
    "CONN_MAX_AGE": None,  # opening a file and preparing it costs as much as the queries of a page
    "OPTIONS": {
        # Writers queue instead of failing: without these, half of 1,600 concurrent writes met "database is locked".
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA mmap_size=134217728; PRAGMA cache_size=-16000;"
        ),
    },
}


def database(name: str, default_file: Path) -> dict[str, object]:
    """The database at a URL: sqlite:////absolute/path or postgresql://user:password@host:port/name?option=value.

    Raises:
        ImproperlyConfigured: the URL is for neither.
    """
    url = os.environ.get(name, "")
    if not url:
        return {**SQLITE, "NAME": default_file}
    parts = urlsplit(url)
    if parts.scheme == "sqlite" and parts.path.strip("/"):
        return {**SQLITE, "NAME": Path(unquote(parts.path[1:]))}
    if parts.scheme in {"postgres", "postgresql"} and parts.path.strip("/"):
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": unquote(parts.path[1:]),
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": unquote(parts.hostname or ""),
            "PORT": str(parts.port or ""),
            "OPTIONS": dict(parse_qsl(parts.query)),
            "CONN_MAX_AGE": 60,
            "CONN_HEALTH_CHECKS": True,
        }
    raise ImproperlyConfigured(
        f"{name} has the scheme {parts.scheme!r}; it takes sqlite:////absolute/path/to/file "
        "or postgresql://user:password@host:port/name."
    )


def broker(name: str) -> str:
    """The URL of the Redis server through which Celery's workers receive runs.

    Raises:
        ImproperlyConfigured: the URL has no Redis server, or Celery is not installed.
    """
    try:
        parts = urlsplit(os.environ.get(name, ""))
        server = f"{parts.hostname}:{parts.port or 6379}" if parts.hostname else ""
    except ValueError:
        raise ImproperlyConfigured(f"{name} is no URL, or its port is no number up to 65535.") from None
    accepted = {"redis": server, "rediss": server, "redis+socket": parts.path.strip("/")}
    if not accepted.get(parts.scheme):
        # Not the URL itself: it may hold a password.
        given = f"has the scheme {parts.scheme!r} and names no Redis server" if parts.scheme else "names no server"
        raise ImproperlyConfigured(
            f"{name} {given}; with TOOLSHELF_RUNNER=celery it takes redis://[user:password@]host[:port][/number], "
            "rediss://… (with TLS) or redis+socket:///path/to/socket."
        )
    if importlib.util.find_spec("celery") is None or importlib.util.find_spec("redis") is None:
        raise ImproperlyConfigured(
            "TOOLSHELF_RUNNER is 'celery', and Celery for Redis is not installed. `make team` installs it "
            "(the extra 'team' of the distribution)."
        )
    return parts.geturl()
