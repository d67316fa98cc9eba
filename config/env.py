"""Read settings from the environment: typed, with a plain sentence if a value is wrong.

`config/settings/` is the only caller. It gives each variable a meaning, from which `manage.py document_settings`
writes docs/settings.md.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import secrets
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from catalog.accounts.shared_rates import Rate
from catalog.accounts.site_url import is_loopback


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable as the documentation shows it, in Markdown."""

    name: str
    default: str
    meaning: str


VARIABLES: Final[
    dict[str, Variable]
] = {}  # those that have a meaning, in the order of the settings

TRUE_WORDS = {"1", "true", "yes", "on"}
FALSE_WORDS = {"0", "false", "no", "off"}
MIN_TOKEN_CHARACTERS = 16
MIN_KEY_CHARACTERS = 32
MIN_KEY_VARIETY = 8
MAX_GROUP_CHARACTERS = 150  # of the name of one of Django's groups


def describe(name: str, default: str, meaning: str) -> None:
    """Document a variable; without a meaning, it stays undocumented, which only tests do."""
    if meaning:
        VARIABLES[name] = Variable(name, default, meaning)


def code(text: str) -> str:
    return f"`{text}`" if text else ""


def text(name: str, default: str, *, meaning: str = "", shown: str | None = None) -> str:
    """The value as it is; `shown` documents a default that differs by machine."""
    describe(name, code(default) if shown is None else shown, meaning)
    return os.environ.get(name, default)


def generated_key(path: Path) -> str:
    """The key stored in `path`, created on the first call: 384 random bits, readable only by the file's owner.

    Two processes that start concurrently agree on one key: the file is created atomically, and only once.
    """
    if not path.exists():
        draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(48))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            path.hardlink_to(draft)
        draft.unlink()
    return path.read_text()


def flag(name: str, *, default: bool, meaning: str = "", shown: str | None = None) -> bool:
    describe(name, code(str(int(default))) if shown is None else shown, meaning)
    value = os.environ.get(name)
    if value is None:
        return default
    word = value.strip().lower()
    if word not in TRUE_WORDS | FALSE_WORDS:
        raise ImproperlyConfigured(
            f"{name} is {value!r}; use one of {sorted(TRUE_WORDS | FALSE_WORDS)}."
        )
    return word in TRUE_WORDS


def number(name: str, default: int, *, minimum: int = 0, meaning: str = "") -> int:
    describe(name, size(default) if name.endswith("_BYTES") else code(str(default)), meaning)
    value = os.environ.get(name)
    if value is None:
        return default
    if not value.strip().isascii() or not value.strip().isdecimal() or int(value) < minimum:
        raise ImproperlyConfigured(
            f"{name} is {value!r}; use a whole number of at least {minimum}."
        )
    return int(value)


def size(number_of_bytes: int) -> str:
    """A number of bytes with its unit: 256 KiB, 64 MiB."""
    for unit, factor in (("GiB", 1024**3), ("MiB", 1024**2), ("KiB", 1024)):
        if number_of_bytes and number_of_bytes % factor == 0:
            return f"{number_of_bytes // factor} {unit}"
    return f"{number_of_bytes:,}"


def words(
    name: str, default: str = "", *, meaning: str = "", shown: str | None = None
) -> list[str]:
    """A list, separated by commas or white space."""
    describe(name, code(default) if shown is None else shown, meaning)
    return os.environ.get(name, default).replace(",", " ").split()


def words_among(
    name: str, default: str, accepted: Collection[str], *, meaning: str = ""
) -> list[str]:
    """Words that are all `accepted`."""
    found = words(name, default, meaning=meaning)
    if unknown := [word for word in found if word not in accepted]:
        raise ImproperlyConfigured(
            f"{name} contains {unknown[0]!r}; use words from {', '.join(accepted)}."
        )
    return found


def rate(name: str, default: str, *, meaning: str = "") -> Rate | None:
    """A number of requests per time, such as 6000/min or 6000/10min; None for "off"."""
    describe(name, code(default), meaning)
    value = os.environ.get(name, default).strip()
    if value.lower() == "off":
        return None
    try:
        return Rate.from_text(value)
    except ValueError:
        raise ImproperlyConfigured(
            f"{name} is {value!r}; use a number and a time, such as 6000/min or 6000/10min (units: s, min, h, d), or "
            "'off' for no limit."
        ) from None


def token(name: str, *, meaning: str = "") -> str:
    """A secret that programs send; "" if it is not set.

    Raises:
        ImproperlyConfigured: it is short enough to be guessed, or cannot be sent in a header.
    """
    describe(name, "", meaning)
    value = os.environ.get(name, "").strip()
    if value and (
        len(value) < MIN_TOKEN_CHARACTERS
        or not value.isascii()
        or not value.isprintable()
        or " " in value
    ):
        raise ImproperlyConfigured(
            f"{name} must have at least {MIN_TOKEN_CHARACTERS} printable ASCII characters, without spaces. Make one: "
            "python -c 'import secrets; print(secrets.token_urlsafe(32))'"
        )
    return value


def key(name: str, *, meaning: str = "") -> str:
    """A key from which others are derived; "" if it is not set.

    Raises:
        ImproperlyConfigured: it is short enough to be guessed.
    """
    describe(name, "generated", meaning)
    value = os.environ.get(name, "").strip()
    if value:
        refuse_weak_key(name, value)
    return value


def keys(name: str, *, meaning: str = "") -> list[str]:
    """Keys, separated by commas or white space: the first encrypts, the others only decrypt.

    Raises:
        ImproperlyConfigured: the first is short enough to be guessed. Older ones may be, until all is re-encrypted.
    """
    found = words(name, meaning=meaning, shown="generated")
    if found:
        advice = "Put it first and leave the old keys after it, then run manage.py rotate_configurations."
        refuse_weak_key(f"The first key in {name}", found[0], advice)
    return found


def refuse_weak_key(what: str, value: str, advice: str = "") -> None:
    """Raises: ImproperlyConfigured: `value` is short, or has few different characters. It is not quoted."""
    if len(value) >= MIN_KEY_CHARACTERS and len(set(value)) >= MIN_KEY_VARIETY:
        return
    raise ImproperlyConfigured(
        f"{what} must have at least {MIN_KEY_CHARACTERS} characters, {MIN_KEY_VARIETY} of them different. Make one: "
        f"python -c 'import secrets; print(secrets.token_urlsafe(48))' {advice}".rstrip()
    )


def networks(name: str, *, meaning: str = "") -> list[str]:
    """Networks in CIDR notation; a single address is a network of one."""
    found = words(name, meaning=meaning)
    for word in found:
        try:
            ip_network(word)
        except ValueError as error:
            raise ImproperlyConfigured(
                f"{name}: {error}; use networks such as 10.0.0.0/8 or fd00::/8."
            ) from None
    return found


def proxy(name: str, *, meaning: str = "") -> str:
    """The URL of an HTTP proxy; "" if there is none."""
    describe(name, "", meaning)
    value = os.environ.get(name, "")
    try:
        parts = urlsplit(value)
        usable = (
            parts.scheme in {"http", "https"}
            and bool(parts.hostname)
            and (parts.port is None or parts.port > 0)
        )
    except ValueError:
        usable = False
    if value and not usable:
        # Not the URL itself: it may contain a password.
        raise ImproperlyConfigured(
            f"{name} is not the URL of an HTTP proxy; use http://[user:password@]host:port."
        )
    return value


def issuer(name: str, *, meaning: str = "") -> str:
    """The URL that identifies an OpenID Connect provider, without a final slash; "" if there is none.

    Source: OpenID Connect Discovery 1.0, section 4.3: "https", no query and no fragment. Plain HTTP is accepted for a
    provider on this machine.

    Raises:
        ImproperlyConfigured: it is another URL.
    """
    describe(name, "", meaning)
    value = os.environ.get(name, "").strip()
    if not value:
        return ""
    try:
        parts = urlsplit(value)
        host = parts.hostname or ""
    except ValueError:
        raise ImproperlyConfigured(f"{name} is not a URL.") from None
    is_secure = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))
    if not host or not is_secure or parts.query or parts.fragment:
        raise ImproperlyConfigured(
            f"{name} is {value!r}; use the provider's issuer, such as https://login.example.org/company, without "
            "/.well-known/openid-configuration and without a query."
        )
    return value.removesuffix("/.well-known/openid-configuration").rstrip("/")


def group_mapping(name: str, *, meaning: str = "") -> dict[str, list[str]]:
    """A JSON object: {group of a provider: group of the site, or a list of those}.

    Raises:
        ImproperlyConfigured: it is something else.
    """
    describe(name, "", meaning)
    value = os.environ.get(name, "").strip()
    if not value:
        return {}
    fault = f'{name} is not a JSON object of groups; write {{"group at the provider": "group of the site"}}.'
    try:
        found = json.loads(value)
    except ValueError:
        raise ImproperlyConfigured(fault) from None
    if not isinstance(found, dict):
        raise ImproperlyConfigured(fault)
    mapping = {
        claimed: [groups] if isinstance(groups, str) else groups
        for claimed, groups in found.items()
    }
    for groups in mapping.values():
        if (
            not isinstance(groups, list)
            or not groups
            or not all(isinstance(group, str) and group for group in groups)
        ):
            raise ImproperlyConfigured(fault)
        if too_long := next((group for group in groups if len(group) > MAX_GROUP_CHARACTERS), None):
            raise ImproperlyConfigured(
                f"{name}: {too_long[:40]!r}… is longer than {MAX_GROUP_CHARACTERS} characters."
            )
    return mapping


VARIABLE = re.compile(r"([A-Za-z_][A-Za-z0-9_.-]*)(?:=([A-Za-z_][A-Za-z0-9_.-]*))?", re.ASCII)


def variables(name: str, *, meaning: str = "") -> dict[str, str]:
    """A list of environment variables for tools: the name that a tool sees, and the name that holds the value here.

    An entry is "NAME", or "NAME=NAME_HERE" if the two differ.

    Raises:
        ImproperlyConfigured: an entry is neither. It is not quoted, because it may be a value, and secret.
    """
    found = {}
    for position, word in enumerate(words(name, meaning=meaning), 1):
        match = VARIABLE.fullmatch(word)
        if match is None:
            raise ImproperlyConfigured(
                f"{name}: entry {position} must be the name of a variable, or NAME=OTHER to pass the "
                "variable OTHER of the site as NAME. Values stay in the variables themselves."
            )
        found[match[1]] = match[2] or match[1]
    return found


def by_factory(name: str, *, meaning: str = "") -> dict[str, str]:
    """The variables of the environment that begin with `name` and "_", by the rest of their names: a factory's id.

    Raises:
        ImproperlyConfigured: an id has other characters than A-Z, 0-9 and "_", so that it fits no factory.
    """
    describe(f"{name}_<ID>", "", meaning)
    found = {}
    for full_name in sorted(os.environ):
        factory_id = full_name.removeprefix(f"{name}_")
        if factory_id == full_name:
            continue
        if not re.fullmatch(r"[A-Z0-9_]+", factory_id):
            raise ImproperlyConfigured(
                f"{full_name}: write the id of the factory in A-Z and 0-9, with _ for any other character: "
                f"{name}_{re.sub('[^A-Z0-9]', '_', factory_id.upper()) or 'ID'}."
            )
        found[factory_id] = full_name
    return found


Choice = TypeVar("Choice", bound=str)


def choice(
    name: str, default: Choice, accepted: Collection[Choice], *, meaning: str = ""
) -> Choice:
    describe(
        name,
        code(default),
        meaning and f"{meaning} One of {', '.join(map(code, sorted(accepted)))}.",
    )
    value = os.environ.get(name, default)
    found = next((each for each in accepted if each == value), None)
    if found is None:
        raise ImproperlyConfigured(f"{name} is {value!r}; use one of {sorted(accepted)}.")
    return found


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


def database(
    name: str, default_file: Path, *, meaning: str = "", shown: str = ""
) -> dict[str, object]:
    """The database at a URL: sqlite:////absolute/path or postgresql://user:password@host:port/name?option=value.

    Raises:
        ImproperlyConfigured: the URL is for another database.
    """
    describe(name, shown, meaning)
    url = os.environ.get(name, "")
    return database_at(url, name) if url else {**SQLITE, "NAME": default_file}


def database_at(url: str, name: str) -> dict[str, object]:
    """The entry of `DATABASES` for a URL; `name` is what the user calls the URL, for the error.

    Raises:
        ImproperlyConfigured: the URL is for another database.
    """
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
        f"{name} has the scheme {parts.scheme!r}; use sqlite:////absolute/path/to/file "
        "or postgresql://user:password@host:port/name."
    )


def broker(name: str, *, is_used: bool = True, meaning: str = "") -> str:
    """The URL of the Redis server through which Celery's workers receive runs; "" if Celery is not used.

    Raises:
        ImproperlyConfigured: the URL has no Redis server, or Celery is not installed.
    """
    describe(name, "", meaning)
    if not is_used:
        return ""
    url = _redis_url(name, "with TOOLSHELF_RUNNER=celery use")
    if importlib.util.find_spec("celery") is None or importlib.util.find_spec("redis") is None:
        raise ImproperlyConfigured(
            "TOOLSHELF_RUNNER is 'celery', but Celery for Redis is not installed. `make team` installs it "
            "(the extra 'team' of the distribution)."
        )
    return url


def redis(name: str, *, meaning: str = "", shown: str = "") -> str:
    """The URL of a Redis server; "" if it is not set.

    Raises:
        ImproperlyConfigured: the URL has no Redis server, or the client is not installed.
    """
    describe(name, shown, meaning)
    if not os.environ.get(name):
        return ""
    url = _redis_url(name, "use")
    if importlib.util.find_spec("redis") is None:
        raise ImproperlyConfigured(
            f"{name} is set, but the client for Redis is not installed. `make team` installs it (the extra 'team' of "
            "the distribution)."
        )
    return url


def _redis_url(name: str, advice: str) -> str:
    try:
        parts = urlsplit(os.environ.get(name, ""))
        server = f"{parts.hostname}:{parts.port or 6379}" if parts.hostname else ""
    except ValueError:
        raise ImproperlyConfigured(
            f"{name} is not a URL, or its port is not a number up to 65535."
        ) from None
    accepted = {"redis": server, "rediss": server, "redis+socket": parts.path.strip("/")}
    if not accepted.get(parts.scheme):
        # Not the URL itself: it may contain a password.
        given = (
            f"has the scheme {parts.scheme!r} without a Redis server"
            if parts.scheme
            else "has no server"
        )
        raise ImproperlyConfigured(
            f"{name} {given}; {advice} redis://[user:password@]host[:port][/number], rediss://… (with TLS) or "
            "redis+socket:///path/to/socket."
        )
    return parts.geturl()
