"""Record sign-ins in the audit log: successful, failed and throttled ones, and sign-outs.

By Django's signals, because every way to sign in sends them: Django's own views, packages such as allauth, and links.
A failed attempt names the account only if it exists: some people type their password into the field for the name.
"""

from __future__ import annotations

from typing import Any, Final

from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed

from catalog import audit
from catalog.accounts.models import User
from catalog.accounts.rate_limits import shared_rates
from catalog.accounts.shared_rates import Rate

UNKNOWN: Final = "unknown account"
THROTTLED_RATE: Final = Rate(10, 60)  # events per address: refused attempts cost nothing, and must not fill the disk


def connect() -> None:
    """Receive the signals."""
    user_logged_in.connect(_signed_in, dispatch_uid="audit")
    user_logged_out.connect(_signed_out, dispatch_uid="audit")
    user_login_failed.connect(_failed, dispatch_uid="audit")


def record_throttled(username: str, wait_s: int) -> None:
    """Record an attempt that was refused without checking the password; at most ten per minute and address."""
    if not shared_rates.take(f"throttled {audit.origin().actor().address}", THROTTLED_RATE):
        audit.record("sign-in.throttled", "person", _account(username), after={"wait_s": wait_s})


def _signed_in(user: Any, **_: Any) -> None:
    audit.record("sign-in", "person", user.get_username(), by=user)


def _signed_out(user: Any = None, **_: Any) -> None:
    if user is not None:
        audit.record("sign-out", "person", user.get_username(), by=user)


def _failed(credentials: dict[str, Any], **_: Any) -> None:
    audit.record("sign-in.failed", "person", _account(str(credentials.get("username") or "")))


def _account(username: str) -> str:
    """The name of the account as it is stored; `UNKNOWN` if there is none."""
    if not username or "\x00" in username:
        return UNKNOWN
    found = User.objects.filter(username__iexact=username).values_list("username", flat=True).first()
    return found or UNKNOWN
