"""Allauth's forms for passwords and codes, with this site's limits on guesses (throttling.py).

Codes are counted apart from passwords: a correct password must not allow more guesses of the code.
They are counted per account, whatever address they come from, except for browsers that have signed
in to the account before.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Final

from allauth.account.forms import ReauthenticateForm
from allauth.core import context
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base.forms import AuthenticateForm
from allauth.mfa.base.forms import ReauthenticateForm as ReauthenticateByCodeForm
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.totp.internal.auth import (
    format_hotp_value,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django import forms
from django.db import transaction
from django.db.models import QuerySet
from django.utils.crypto import constant_time_compare

from accounts.models import User
from accounts.throttling import count_guess, find_origin

LAST_COUNTER: Final = (
    "last_counter"  # in the data of an authenticator app: the period of the last code that was used
)


class Throttled(forms.Form):
    """A form for a secret that can be guessed.

    Attributes:
        retry_after_s: if the attempt was refused without checking it, when to try again; else None.
    """

    user: User
    retry_after_s: int | None = None


class ConfirmPasswordForm(Throttled, ReauthenticateForm):
    """The password of a person who is signed in."""

    def clean_password(self) -> str:
        username = self.user.get_username()
        with count_guess(self, username, find_origin(context.request, username)):
            return str(super().clean_password())


class Code(Throttled):
    """A code of an authenticator app, or a recovery code. Each works once."""

    def clean_code(self) -> str:
        code = "".join(self.cleaned_data["code"].split())
        with count_code(self):
            self.authenticator = self.matching(code)
        return code

    def matching(self, code: str) -> Any:
        """The authenticator whose code this is.

        Raises:
            ValidationError: there is none, or the code was used before.
        """
        try:
            with transaction.atomic():
                return self.locked_match(code)
        except forms.ValidationError:
            if first := self.with_codes().first():
                # Of allauth's form.
                self._emit_authentication_failed(first)  # type: ignore[attr-defined]
            raise

    def with_codes(self) -> QuerySet[Authenticator]:
        return Authenticator.objects.filter(user=self.user).exclude(
            type=Authenticator.Type.WEBAUTHN
        )

    def locked_match(self, code: str) -> Authenticator:
        for each in self.with_codes().select_for_update():
            if each.type == Authenticator.Type.TOTP:
                is_right = use_app_code(each, code)
            else:
                is_right = each.wrap().validate_code(code)  # type: ignore[no-untyped-call]
            if is_right:
                return each
        raise get_adapter().validation_error("incorrect_code")


class CodeForm(Code, AuthenticateForm):
    """The second step of a sign-in."""


class ConfirmCodeForm(Code, ReauthenticateByCodeForm):
    """The code of a person who is signed in."""


class ActivateAppForm(Throttled, ActivateTOTPForm):
    """The first code of a new authenticator app. It does not work again, to sign in or to confirm.

    Attributes:
        counter: the period of the code.
    """

    counter: int

    def clean_code(self) -> str:
        code = "".join(self.cleaned_data["code"].split())
        with count_code(self):
            counter = find_counter(self.secret, code)
            if counter is None:
                raise get_adapter().validation_error("incorrect_code")
        self.counter = counter
        return code


def count_code(form: Code | ActivateAppForm) -> AbstractContextManager[None]:
    """Count an attempt at a code."""
    user = form.user
    name = user.get_username()
    # Without a known browser, all addresses count together.
    origin = find_origin(context.request, name, f"anywhere {user.pk}")
    return count_guess(form, f"codes of {user.pk}", origin, secrets="codes", person=name)


def use_app_code(app: Authenticator, code: str) -> bool:
    """Whether `code` is one of an authenticator app; it and earlier ones do not work again.

    Call this in a transaction that locks `app`: allauth notes used codes in a cache, which
    processes do not share.

    Source: RFC 6238, section 5.2: "the verifier MUST NOT accept the second attempt of the OTP".

    Raises:
        ValidationError: it has been used before.
    """
    counter = find_counter(get_adapter().decrypt(app.data["secret"]), code)
    if counter is None:
        return False
    if counter <= app.data.get(LAST_COUNTER, 0):
        raise forms.ValidationError("This code has been used. Wait for the next one.", code="used")
    app.data[LAST_COUNTER] = counter
    app.save(update_fields=["data"])
    return True


def find_counter(secret: str, code: str) -> int | None:
    """The period in which `code` is the code of an authenticator app.

    None if it is none of the accepted ones.
    """
    for counter in yield_hotp_counters_from_time():
        if constant_time_compare(code, format_hotp_value(hotp_value(secret, counter))):
            return counter
    return None


def retry_after(form: Any) -> int | None:
    """When to try again, in seconds, if `form` refused an attempt because there were too many."""
    if isinstance(form, Throttled):
        return form.retry_after_s
    return None
