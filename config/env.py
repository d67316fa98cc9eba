"""Read settings from environment variables: typed by pydantic, with a sentence if a value is wrong.

`config/settings/` is the only caller. It gives each variable a meaning, from which `manage.py
document_settings` writes docs/settings.md.
"""

from __future__ import annotations

import importlib.util
import os
import re
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args, get_origin
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured
from pydantic import AfterValidator, BeforeValidator, Field, Json, TypeAdapter, ValidationError

from accounts.cell_rate import Rate
from toolshelf_core.site_url import is_loopback


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable as the documentation shows it, in Markdown."""

    name: str
    default: str
    meaning: str


VARIABLES: Final[dict[str, Variable]] = {}  # in the order of the settings

MIN_TOKEN_CHARACTERS: Final = 16
MIN_KEY_CHARACTERS: Final = 32
MIN_KEY_VARIETY: Final = 8
MAX_GROUP_CHARACTERS: Final = 150  # of the name of one of Django's groups
# By the type of pydantic's error. The checks below write their own sentence instead.
ACCEPTED: Final = {
    "bool_parsing": "one of 1, true, yes, on, 0, false, no, off",
    "int_parsing": "a whole number",
    "int_parsing_size": "a smaller number",
    "greater_than_equal": "a whole number of at least {ge}",
    "literal_error": "{expected}",
}
OBJECT_OF_GROUPS: Final = (
    'a JSON object of groups, {{"group at the provider": "group of the site"}}, whose names have '
    f"at most {MAX_GROUP_CHARACTERS} characters"
)


def read(
    name: str, kind: Any, default: Any, meaning: str, *, default_text: str | None = None
) -> Any:
    """Read the value of a variable, or its default.

    Args:
        name: of the variable.
        kind: a type for pydantic, such as those below.
        default: a text is read like a value of the variable.
        meaning: a sentence of Markdown for a table.
        default_text: how to document a default that differs by machine.

    Raises:
        ImproperlyConfigured: the value is invalid.
    """
    if default_text is None:
        default_text = write_default(name, default)
    VARIABLES[name] = Variable(name, default_text, meaning + write_choices(kind))
    return read_value(name, kind, os.environ.get(name, default))


def read_by_factory(name: str, kind: Any, meaning: str) -> dict[str, Any]:
    """Read the variables `name` + "_<ID>" by id, that of a factory.

    Raises:
        ImproperlyConfigured: an id has other characters than A-Z, 0-9 and "_", so that it fits no
            factory, or a value is invalid.
    """
    VARIABLES[name + "_<ID>"] = Variable(f"{name}_<ID>", "", meaning)
    values = {}
    for full_name in sorted(os.environ):
        factory_id = full_name.removeprefix(f"{name}_")
        if factory_id == full_name:
            continue
        if not re.fullmatch(r"[A-Z0-9_]+", factory_id):
            right_id = re.sub("[^A-Z0-9]", "_", factory_id.upper()) or "ID"
            raise ImproperlyConfigured(
                f"{full_name}: write the id of the factory in A-Z and 0-9, with _ for any other "
                f"character: {name}_{right_id}."
            )
        values[factory_id] = read_value(full_name, kind, os.environ[full_name])
    return values


def read_value(name: str, kind: Any, value: Any) -> Any:
    """Read the text of a variable; a default that is not a text is the value.

    Raises:
        ImproperlyConfigured: names the variable, its value unless it may be secret, and what is
            accepted.
    """
    if not isinstance(value, str):
        return value
    try:
        return TypeAdapter(kind).validate_python(value.strip())
    except ValidationError as invalid:
        error = invalid.errors()[0]
    if error["type"] == "value_error":
        raise ImproperlyConfigured(f"{name} {error['ctx']['error']}") from None
    accepted = ACCEPTED.get(error["type"], OBJECT_OF_GROUPS).format(**error.get("ctx", {}))
    verb = "contains" if error["loc"] else "is"
    raise ImproperlyConfigured(f"{name} {verb} {error['input']!r:.80}; use {accepted}.")


def write_default(name: str, default: Any) -> str:
    if name.endswith("_BYTES"):
        return format_bytes(default)
    if isinstance(default, bool):
        default = int(default)
    return f"`{default}`" if default != "" else ""


def write_choices(kind: Any) -> str:
    if get_origin(kind) is not Literal:
        return ""
    choices = [f"`{choice}`" for choice in sorted(get_args(kind))]
    return f" One of {', '.join(choices)}."


def format_bytes(number_of_bytes: int) -> str:
    """A number of bytes with its unit: 256 KiB, 64 MiB."""
    for unit, factor in (("GiB", 1024**3), ("MiB", 1024**2), ("KiB", 1024)):
        if number_of_bytes and number_of_bytes % factor == 0:
            return f"{number_of_bytes // factor} {unit}"
    return f"{number_of_bytes:,}"


# Kinds of values. A check raises a ValueError with the sentence that follows the variable's name.


def number(minimum: int) -> Any:
    return Annotated[int, Field(ge=minimum)]


def split(text: str) -> list[str]:
    return text.replace(",", " ").split()


def words(kind: Any = str) -> Any:
    """A list, separated by commas or white space."""
    return Annotated[list[kind], BeforeValidator(split)]


def text(check: Callable[[str], str]) -> Any:
    """A text that is empty, or passes `check`."""
    return Annotated[str, AfterValidator(lambda value: check(value) if value else "")]


def check_token(value: str) -> str:
    """A secret that programs send in a header."""
    is_sendable = value.isascii() and value.isprintable() and " " not in value
    if len(value) >= MIN_TOKEN_CHARACTERS and is_sendable:
        return value
    raise ValueError(
        f"must have at least {MIN_TOKEN_CHARACTERS} printable ASCII characters, without spaces. "
        "Make one: python -c 'import secrets; print(secrets.token_urlsafe(32))'"
    )


def check_key(value: str) -> str:
    """A key from which others are derived."""
    if len(value) >= MIN_KEY_CHARACTERS and len(set(value)) >= MIN_KEY_VARIETY:
        return value
    raise ValueError(
        f"must have at least {MIN_KEY_CHARACTERS} characters, {MIN_KEY_VARIETY} of them different. "
        "Make one: python -c 'import secrets; print(secrets.token_urlsafe(48))'"
    )


def check_keys(keys: list[str]) -> list[str]:
    """Check the first key, which encrypts; the others only decrypt, so they may be weak."""
    try:
        for key in keys[:1]:
            check_key(key)
    except ValueError as error:
        raise ValueError(
            f"begins with a weak key. It {error} Put it first and leave the old keys after it, "
            "then run manage.py rotate_configurations."
        ) from None
    return keys


def check_host(value: str) -> str:
    if value == "*":
        raise ValueError("is '*'; use the exact host names of the site.")
    return value


def check_network(value: str) -> str:
    try:
        ip_network(value)
    except ValueError as error:
        raise ValueError(
            f"contains no network: {error}; use networks such as 10.0.0.0/8 or fd00::/8."
        ) from None
    return value


def check_proxy(value: str) -> str:
    with suppress(ValueError):
        parts = urlsplit(value)
        if parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0:
            return value
    # Without the URL, which may contain a password.
    raise ValueError("is not the URL of an HTTP proxy; use http://[user:password@]host:port.")


def check_issuer(value: str) -> str:
    """The URL that identifies an OpenID Connect provider, without a final slash.

    Source: OpenID Connect Discovery 1.0, section 4.3: "https", no query and no fragment. Plain HTTP
    is accepted for a provider on this machine.
    """
    try:
        parts = urlsplit(value)
        host = parts.hostname or ""
    except ValueError:
        raise ValueError("is not a URL.") from None
    is_secure = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))
    if not host or not is_secure or parts.query or parts.fragment:
        raise ValueError(
            f"is {value!r}; use the provider's issuer, such as https://login.example.org/company, "
            "without /.well-known/openid-configuration and without a query."
        )
    return value.removesuffix("/.well-known/openid-configuration").rstrip("/")


def check_redis(value: str) -> str:
    try:
        parts = urlsplit(value)
        server = f"{parts.hostname}:{parts.port or 6379}" if parts.hostname else ""
    except ValueError:
        raise ValueError("is not a URL, or its port is not a number up to 65535.") from None
    servers = {"redis": server, "rediss": server, "redis+socket": parts.path.strip("/")}
    if not servers.get(parts.scheme):  # the URL may contain a password
        raise ValueError(
            f"has the scheme {parts.scheme!r} or no Redis server; use "
            "redis://[user:password@]host[:port][/number], rediss://… (with TLS) or "
            "redis+socket:///path/to/socket."
        )
    if importlib.util.find_spec("redis") is None:
        raise ValueError(
            "is set, but the client for Redis is not installed. `make team` installs it (the extra "
            "'team' of the distribution)."
        )
    return value


def read_rate(value: str) -> Rate | None:
    """A number of requests per time, such as 6000/min or 6000/10min; None for "off"."""
    if value.lower() == "off":
        return None
    try:
        return Rate.from_text(value)
    except ValueError:
        raise ValueError(
            f"is {value!r}; use a number and a time, such as 6000/min or 6000/10min (units: s, "
            "min, h, d), or 'off' for no limit."
        ) from None


NAME: Final = "[A-Za-z_][A-Za-z0-9_.-]*"  # of a variable


def read_names(value: str) -> dict[str, str]:
    """Read names of variables for tools: NAME, or NAME=OTHER if its name here is OTHER."""
    names = {}
    for position, word in enumerate(split(value), 1):
        match = re.fullmatch(f"({NAME})(?:=({NAME}))?", word)
        if match is None:  # the entry may be a value, and secret
            raise ValueError(
                f"has an invalid entry, number {position}, which must be the name of a variable, "
                "or NAME=OTHER to pass the variable OTHER of the site as NAME. Values stay in the "
                "variables themselves."
            )
        names[match[1]] = match[2] or match[1]
    return names


SQLITE: Final = {
    "ENGINE": "django.db.backends.sqlite3",
    "CONN_MAX_AGE": None,  # opening a file and preparing it costs as much as the queries of a page
    "OPTIONS": {
        # Writers queue instead of failing: without these, half of 1,600 concurrent writes met
        # "database is locked".
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA mmap_size=134217728; PRAGMA "
            "cache_size=-16000;"
        ),
    },
}


def read_database(url: str) -> dict[str, Any] | None:
    """The entry of `DATABASES` for a URL; None for an empty one.

    Raises:
        ValueError: the URL is for another database.
    """
    if not url:
        return None
    parts = urlsplit(url)
    name = unquote(parts.path[1:])
    if parts.scheme == "sqlite" and parts.path.strip("/"):
        return {**SQLITE, "NAME": Path(name)}
    if parts.scheme in {"postgres", "postgresql"} and parts.path.strip("/"):
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": name,
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": unquote(parts.hostname or ""),
            "PORT": str(parts.port or ""),
            "OPTIONS": dict(parse_qsl(parts.query)),
            "CONN_MAX_AGE": 60,
            "CONN_HEALTH_CHECKS": True,
        }
    raise ValueError(
        f"has the scheme {parts.scheme!r}; use sqlite:////absolute/path/to/file or "
        "postgresql://user:password@host:port/name."
    )


def as_list(groups: Any) -> Any:
    return [groups] if isinstance(groups, str) else groups


Group = Annotated[str, Field(min_length=1, max_length=MAX_GROUP_CHARACTERS)]
Groups = Annotated[list[Group], Field(min_length=1), BeforeValidator(as_list)]
# {group of a provider: groups of the site}
GROUPS: Any = Annotated[Json[dict[str, Groups]], BeforeValidator(lambda value: value or "{}")]
DATABASE: Any = Annotated[dict[str, Any] | None, BeforeValidator(read_database)]
HOSTS: Any = words(Annotated[str, AfterValidator(check_host)])
ISSUER: Any = text(check_issuer)
KEY: Any = text(check_key)
KEYS: Any = Annotated[words(), AfterValidator(check_keys)]
NAMES: Any = Annotated[dict[str, str], BeforeValidator(read_names)]
NETWORKS: Any = words(Annotated[str, AfterValidator(check_network)])
PROXY: Any = text(check_proxy)
RATE: Any = Annotated[Rate | None, BeforeValidator(read_rate)]
REDIS: Any = text(check_redis)
TOKEN: Any = text(check_token)


def ensure_key(path: Path) -> str:
    """Read the key stored in `path`; the first call creates it.

    It has 384 random bits, and only the file's owner can read it. Two processes that start
    concurrently agree on one key: the file is created atomically, and only once.
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
