"""Sessions in the database, under a digest of their key (`SESSION_ENGINE`).

Only the browser has the key itself, so nobody can use a session read from the database or from a
copy of it. A session also ends if it is not used for `settings.SESSION_IDLE_HOURS`.

Source: Django documentation, "How to use sessions", "Extending database-backed session engines".
"""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.backends.db import SessionStore as DatabaseSessionStore
from django.db import OperationalError
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from accounts.models import Session, User, digest

USE_NOTED_EVERY: Final = timedelta(minutes=5)  # so that most requests write nothing
# In a session: {"agent": its User-Agent, "at": when it signed in}.
SIGNED_IN_BROWSER: Final = "signed_in_browser"
MAX_AGENT_CHARACTERS: Final = 300
# Where django-allauth stores a POST and its headers.
WAITING_POST: Final = "account_reauthentication_state"
# Of a visitor's session that holds a sign-in in progress.
SIGN_IN_LIFETIME: Final = timedelta(minutes=15)


def _without_cookies(data: dict[str, Any]) -> dict[str, Any]:
    """`data` without the cookies of a POST that waits for a confirmation.

    One of them is the key of this session.
    """
    waiting = data.get(WAITING_POST)
    if not isinstance(waiting, dict) or "request" not in waiting:
        return data
    request = json.loads(waiting["request"])
    request["META"].pop("HTTP_COOKIE", None)
    return data | {WAITING_POST: waiting | {"request": json.dumps(request)}}


class SessionStore(DatabaseSessionStore):
    """Django's store, which sees digests where it has keys."""

    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    def _get_session_from_db(self) -> Session | None:
        now = timezone.now()
        session = usable_sessions(now).filter(session_key=digest(self.session_key or "")).first()
        if session is None:
            self._session_key = None
        elif now - session.last_used_at > USE_NOTED_EVERY:
            with suppress(OperationalError):  # a full disk refuses no reads
                Session.objects.filter(pk=session.pk).update(last_used_at=now)
        return session

    def exists(self, session_key: str) -> bool:
        return Session.objects.filter(session_key=digest(session_key)).exists()

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        return Session(
            session_key=digest(self._get_or_create_session_key()),  # type: ignore[attr-defined]
            session_data=self.encode(_without_cookies(data)),
            expire_date=self.get_expiry_date(),
            user_id=data.get(SESSION_KEY),
        )

    def delete(self, session_key: str | None = None) -> None:
        if key := session_key or self.session_key:
            Session.objects.filter(session_key=digest(key)).delete()

    @classmethod
    def clear_expired(cls) -> None:
        now = timezone.now()
        Session.objects.filter(
            Q(expire_date__lt=now) | Q(last_used_at__lt=now - idle_limit())
        ).delete()

    # The store of the database has queries of its own in these, which would see keys; those of the
    # base call the above.
    aload, aexists, acreate = SessionBase.aload, SessionBase.aexists, SessionBase.acreate
    asave, adelete = SessionBase.asave, SessionBase.adelete


def note_sign_in(request: HttpRequest) -> None:
    """Note in the session of a person who has just signed in which browser it is."""
    request.session[SIGNED_IN_BROWSER] = {
        "agent": request.headers.get("User-Agent", "")[:MAX_AGENT_CHARACTERS],
        "at": timezone.now().isoformat(),
    }
    SessionStore.clear_expired()
    request.session.set_expiry(None)  # a visitor's session with an unfinished form expires soon


def limit_visitors_session(request: HttpRequest) -> None:
    """Let the session of a visitor who has begun to sign in expire soon."""
    lifetime_s = int(SIGN_IN_LIFETIME.total_seconds())
    if not request.user.is_authenticated and request.session.get_expiry_age() > lifetime_s:
        request.session.set_expiry(lifetime_s)


def idle_limit() -> timedelta:
    return timedelta(hours=settings.SESSION_IDLE_HOURS)


def usable_sessions(now: datetime) -> QuerySet[Session]:
    """The sessions that have neither expired nor been unused for too long."""
    return Session.objects.filter(expire_date__gt=now, last_used_at__gt=now - idle_limit())


def end_sessions(user: User, *, except_key: str | None = None) -> int:
    """End the sessions of `user`, in all browsers or in all but the one with this key.

    Returns how many.
    """
    sessions = Session.objects.filter(user=user)
    if except_key is not None:
        sessions = sessions.exclude(session_key=digest(except_key))
    return sessions.delete()[0]
