"""Record sign-ins in the audit log: successful, failed and throttled ones, and sign-outs.

Changes of the ways in which people sign in are recorded, too. It works by signals of Django and
allauth, because every way to sign in sends them: Django's own views, packages such as allauth, and
links. Second factors and links with a provider are recorded when their rows are stored or deleted.
A failed attempt names the account only if it exists: some people type their password into the
field for the name.
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
# Of events per network: refused attempts cost nothing, and must not fill the disk.
BOUNDED_RATE: Final = Rate(10, 60)
FACTORS: Final = {
    Authenticator.Type.TOTP: "authenticator app",
    Authenticator.Type.WEBAUTHN: "passkey",
}


def connect() -> None:
    """Receive the signals."""
    user_logged_in.connect(_record_sign_in, dispatch_uid="audit")
    user_logged_out.connect(_record_sign_out, dispatch_uid="audit")
    user_login_failed.connect(_record_failure, dispatch_uid="audit")
    authentication_failed.connect(_record_wrong_code, dispatch_uid="audit")
    authenticator_used.connect(_record_recovery_code, dispatch_uid="audit")
    post_save.connect(_record_factor, sender=Authenticator, dispatch_uid="audit")
    post_delete.connect(_record_factor_removal, sender=Authenticator, dispatch_uid="audit")
    post_save.connect(_record_link, sender=SocialAccount, dispatch_uid="audit")
    post_delete.connect(_record_unlink, sender=SocialAccount, dispatch_uid="audit")


def record_bounded(action: str, object_type: str, object_id: str, **after: object) -> None:
    """Record an attempt that cost nothing; at most ten of an action per minute and network."""
    network = network_of_address(audit.current_origin().actor().address)
    if not memory_rates.take(f"{action} {network}", BOUNDED_RATE).wait_s:
        audit.record(action, object_type, object_id, after=after)


def record_throttled(username: str, wait_s: int) -> None:
    """Record an attempt that was refused without checking the password."""
    record_bounded("sign-in.throttled", "person", _find_name(username), wait_s=wait_s)


def record_refused_sign_in(reason: str, user: User | None = None) -> None:
    """Record that somebody proved who they are, but may not sign in."""
    record_bounded("sign-in.refused", "person", _name(user), reason=reason)


def record_wrong_passkey(user: User | None = None) -> None:
    record_bounded("passkey.failed", "person", _name(user))


def _name(user: User | None) -> str:
    return user.username if user else UNKNOWN


def _record_sign_in(user: Any, **_: Any) -> None:
    audit.record("sign-in", "person", user.get_username(), by=user)


def _record_sign_out(user: Any = None, **_: Any) -> None:
    if user is not None:
        audit.record("sign-out", "person", user.get_username(), by=user)


def _record_failure(credentials: dict[str, Any], **_: Any) -> None:
    audit.record("sign-in.failed", "person", _find_name(str(credentials.get("username") or "")))


def _find_name(username: str) -> str:
    """The name of the account as it is stored; `UNKNOWN` if there is none."""
    if not username:
        return UNKNOWN
    names = User.objects.filter(username__iexact=username).values_list("username", flat=True)
    return names.first() or UNKNOWN


def _record_wrong_code(user: User, **_: Any) -> None:
    audit.record("code.failed", "person", user.username)


def _record_recovery_code(user: User, authenticator: Authenticator, **_: Any) -> None:
    if authenticator.type == Authenticator.Type.RECOVERY_CODES:
        # Read again: allauth passes on the codes as they were before.
        factor: Any = Authenticator.objects.get(pk=authenticator.pk)
        after = {"codes_left": len(factor.wrap().get_unused_codes())}
        audit.record("recovery-code.use", "person", user.username, by=user, after=after)


def _record_factor(instance: Authenticator, created: bool, raw: bool = False, **_: Any) -> None:
    if not created or raw:
        return
    if instance.type == Authenticator.Type.RECOVERY_CODES:
        audit.record("recovery-codes.create", "person", instance.user.username)
        return
    audit.record("factor.add", "person", instance.user.username, after=_describe_factor(instance))


def _record_factor_removal(instance: Authenticator, **_: Any) -> None:
    if instance.type == Authenticator.Type.RECOVERY_CODES:
        audit.record("recovery-codes.remove", "person", instance.user.username)
        return
    audit.record(
        "factor.remove", "person", instance.user.username, before=_describe_factor(instance)
    )


def _describe_factor(factor: Authenticator) -> dict[str, object]:
    facts: dict[str, object] = {"kind": FACTORS[Authenticator.Type(factor.type)]}
    if "name" in factor.data:
        facts["name"] = factor.data["name"]
    return facts


def _record_link(instance: SocialAccount, created: bool, raw: bool = False, **_: Any) -> None:
    if created and not raw:
        after = _describe_link(instance)
        audit.record("provider.link", "person", instance.user.username, after=after)


def _record_unlink(instance: SocialAccount, **_: Any) -> None:
    before = _describe_link(instance)
    audit.record("provider.unlink", "person", instance.user.username, before=before)


def _describe_link(account: SocialAccount) -> dict[str, object]:
    return {"account": account.extra_data.get("name", ""), "subject": account.uid}
