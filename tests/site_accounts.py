"""People and their keys, written into a site's database: quicker than one command for each."""

from __future__ import annotations

import hashlib
import json
import secrets
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from functools import cache

import psycopg
from django.contrib.auth.hashers import Argon2PasswordHasher, make_password

from tests.site import Site

PASSWORD = "correct horse battery"


def sql(site: Site, statement: str, *values: object) -> list[tuple]:
    if url := site.environment.get("DATABASE_URL"):
        with psycopg.connect(url, options="-c timezone=UTC") as database:
            found = database.execute(statement.replace("?", "%s"), values)
            return found.fetchall() if found.description else []
    with (
        closing(sqlite3.connect(site.data_dir / "toolshelf.sqlite3", timeout=20)) as database,
        database,
    ):
        return database.execute(statement, values).fetchall()


def person(site: Site, name: str, password: str = PASSWORD) -> str:
    """A person with this password, who has guessed nothing yet; gives the name."""
    row = {
        "username": name,
        "password": hashed(password),
        "is_active": True,
        "is_staff": False,
        "is_superuser": False,
    }
    row |= {"first_name": "", "last_name": "", "email": "", "date_joined": now()}
    if sql(site, "SELECT 1 FROM accounts_user WHERE username = ?", name):
        sql(site, "UPDATE accounts_user SET password = ? WHERE username = ?", row["password"], name)
    else:
        insert(site, "accounts_user", row)
    forget_failures(site)
    return name


def token(site: Site, name: str, *scopes: str) -> str:
    """A new token of a person, who is made where there is none."""
    from accounts.models import SCOPES  # `bench` uses this module without Django's settings

    if not sql(site, "SELECT 1 FROM accounts_user WHERE username = ?", name):
        person(site, name)
    secret = f"tsk_{secrets.token_urlsafe(32)}"
    row = {
        "user_id": id_of(site, name),
        "digest": digest(secret),
        "hint": secret[:8],
        "name": "",
        "created_at": now(),
    }
    insert(
        site, "accounts_apitoken", row | {"scopes": json.dumps(scopes or SCOPES), "toolkits": "[]"}
    )
    return secret


def sign_in_link(site: Site, name: str) -> str:
    secret = secrets.token_urlsafe(32)
    insert(
        site,
        "accounts_signinlink",
        {"user_id": id_of(site, name), "digest": digest(secret), "created_at": now()},
    )
    return f"{site.url}/sign-in/{secret}/"


def forget_failures(site: Site) -> None:
    sql(site, "DELETE FROM accounts_failedsignin")


def id_of(site: Site, name: str) -> int:
    return sql(site, "SELECT id FROM accounts_user WHERE username = ?", name)[0][0]


def insert(site: Site, table: str, row: dict[str, object]) -> None:
    places = ", ".join("?" * len(row))
    sql(site, f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", *row.values())


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


@cache
def hashed(password: str) -> str:
    """As the site's own processes hash it; the tests' process uses a cheap hasher (`tests/conftest.py`)."""
    return make_password(password, hasher=Argon2PasswordHasher())
