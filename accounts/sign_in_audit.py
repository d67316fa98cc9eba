"""Record sign-ins in the audit log: successful, failed and throttled ones, and sign-outs; and how people sign in.

By signals of Django and allauth, because every way to sign in sends them: Django's own views,
packages such as allauth, and links. Second factors and links with a provider are recorded when
their rows are stored or deleted. A failed attempt names the account only if it exists: some people
type their password into the field for the name.
"""

from __future__ import annotations

from typing import Any, Final

from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authentication_failed, authenticator_used
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.db.models.signals import post_delete, post_save

from accounts.cell_rate import Rate, memory_rates
from accounts.models import User
from toolshelf_core import audit
from toolshelf_core.client_address import network_of_address

UNKNOWN: Final = "unknown account"
BOUNDED_RATE: Final = Rate(
    10, 60
)  # events per network: refused attempts cost nothing, and must not fill the disk
FACTORS: Final = {
    Authenticator.Type.TOTP: "authenticator app",
    Authenticator.Type.WEBAUTHN: "passkey",
}


def connect() -> None:
    """Receive the signals."""
    user_logged_in.connect(_signed_in, dispatch_uid="audit")
    user_logged_out.connect(_signed_out, dispatch_uid="audit")
    user_login_failed.connect(_failed, dispatch_uid="audit")
    authentication_failed.connect(_code_failed, dispatch_uid="audit")
    authenticator_used.connect(_factor_used, dispatch_uid="audit")
    post_save.connect(_factor_saved, sender=Authenticator, dispatch_uid="audit")
    post_delete.connect(_factor_deleted, sender=Authenticator, dispatch_uid="audit")
    post_save.connect(_account_linked, sender=SocialAccount, dispatch_uid="audit")
    post_delete.connect(_account_unlinked, sender=SocialAccount, dispatch_uid="audit")


def record_bounded(action: str, object_type: str, object_id: str, **after: object) -> None:
    """Record an attempt that cost nothing; at most ten of an action per minute and network."""
    network = network_of_address(audit.current_origin().actor().address)
    if not memory_rates.take(f"{action} {network}", BOUNDED_RATE).wait_s:
        audit.record(action, object_type, object_id, after=after)


def record_throttled(username: str, wait_s: int) -> None:
    """Record an attempt that was refused without checking the password."""
    record_bounded("sign-in.throttled", "person", _account(username), wait_s=wait_s)


def record_refused_sign_in(reason: str, user: User | None = None) -> None:
    """Record that somebody proved who they are, but may not sign in."""
    record_bounded("sign-in.refused", "person", user.username if user else UNKNOWN, reason=reason)


def record_wrong_passkey(user: User | None = None) -> None:
    record_bounded("passkey.failed", "person", user.username if user else UNKNOWN)


def _signed_in(user: Any, **_: Any) -> None:
    audit.record("sign-in", "person", user.get_username(), by=user)


def _signed_out(user: Any = None, **_: Any) -> None:
    if user is not None:
        audit.record("sign-out", "person", user.get_username(), by=user)


def _failed(credentials: dict[str, Any], **_: Any) -> None:
    audit.record("sign-in.failed", "person", _account(str(credentials.get("username") or "")))


def _account(username: str) -> str:
    """The name of the account as it is stored; `UNKNOWN` if there is none."""
    if not username:
        return UNKNOWN
    found = (
        User.objects.filter(username__iexact=username).values_list("username", flat=True).first()
    )
    return found or UNKNOWN


def _code_failed(user: User, **_: Any) -> None:
    audit.record("code.failed", "person", user.username)


def _factor_used(user: User, authenticator: Authenticator, **_: Any) -> None:
    if authenticator.type == Authenticator.Type.RECOVERY_CODES:
        stored = Authenticator.objects.get(
            pk=authenticator.pk
        )  # allauth passes on the codes as they were before
        left = len(stored.wrap().get_unused_codes())
        audit.record(
            "recovery-code.use", "person", user.username, by=user, after={"codes_left": left}
        )


def _factor_saved(instance: Authenticator, created: bool, raw: bool = False, **_: Any) -> None:
    if not created or raw:
        return
    if instance.type == Authenticator.Type.RECOVERY_CODES:
        audit.record("recovery-codes.create", "person", instance.user.username)
        return
    audit.record("factor.add", "person", instance.user.username, after=_facts_of(instance))


def _factor_deleted(instance: Authenticator, **_: Any) -> None:
    if instance.type == Authenticator.Type.RECOVERY_CODES:
        audit.record("recovery-codes.remove", "person", instance.user.username)
        return
    audit.record("factor.remove", "person", instance.user.username, before=_facts_of(instance))


def _facts_of(factor: Authenticator) -> dict[str, object]:
    kind = FACTORS[Authenticator.Type(factor.type)]
    return {"kind": kind, "name": factor.data["name"]} if "name" in factor.data else {"kind": kind}


def _account_linked(instance: SocialAccount, created: bool, raw: bool = False, **_: Any) -> None:
    if created and not raw:
        audit.record(
            "provider.link", "person", instance.user.username, after=_account_at_provider(instance)
        )


def _account_unlinked(instance: SocialAccount, **_: Any) -> None:
    audit.record(
        "provider.unlink", "person", instance.user.username, before=_account_at_provider(instance)
    )


def _account_at_provider(account: SocialAccount) -> dict[str, object]:
    return {"account": account.extra_data.get("name", ""), "subject": account.uid}
