"""Allauth's forms for passkeys, which read strictly what the browser sends.

Allauth answers deeply nested JSON and unexpected types with an exception, and accepts an assertion
that was made for another port of the host, or for a subdomain: another program there could pass it
on.

Source: Web Authentication Level 3, section 7.2, step 12: "Verify that the value of C.origin is an
origin expected by the Relying Party"; an origin includes its port (RFC 6454, section 4).
"""

from __future__ import annotations

import json
import struct
from typing import Any, Final

from allauth.core import context
from allauth.mfa.adapter import get_adapter
from allauth.mfa.webauthn.forms import (
    AddWebAuthnForm,
    AuthenticateWebAuthnForm,
    LoginWebAuthnForm,
    ReauthenticateWebAuthnForm,
)
from django import forms
from django.core.exceptions import BadRequest
from fido2.utils import websafe_decode

from toolshelf_core.site_url import list_own_origins
from toolspec.errors import DocumentError
from toolspec.text.reader import loads

MAX_BYTES: Final = 64 * 1024  # of what a browser sends: some 2 KB, more with an attestation
# What libraries raise for binary parts that are cut, nested, or of another type than expected.
MALFORMED: Final = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
)


class CredentialField(forms.JSONField):
    """The JSON of the browser.

    JSON that is nested deeply, or not allowed anywhere here, is a bad request.
    """

    widget = forms.HiddenInput

    def to_python(self, value: Any) -> Any:
        if value in self.empty_values:
            return None
        try:
            credential = json.loads(value)
            loads(value, max_bytes=MAX_BYTES)
        except json.JSONDecodeError:
            raise get_adapter().validation_error("incorrect_code") from None
        except (DocumentError, RecursionError, ValueError) as error:
            raise BadRequest(
                "The JSON of a passkey is nested too deeply, or cannot be read."
            ) from error
        return credential

    def validate(self, value: Any) -> None:
        super().validate(value)
        if origin_in(value) not in list_own_origins(context.request):
            raise get_adapter().validation_error("incorrect_code")


def origin_in(credential: Any) -> str | None:
    """The origin of the page on which the browser used the passkey; None if there is none."""
    try:
        client_data = websafe_decode(credential["response"]["clientDataJSON"])
        origin = json.loads(client_data)["origin"]
    except MALFORMED:
        return None
    return origin if isinstance(origin, str) else None


class RefusesMalformed(forms.Form):
    def clean_credential(self) -> Any:
        try:
            return super().clean_credential()  # type: ignore[misc]  # of allauth's form
        except MALFORMED:
            raise get_adapter().validation_error("incorrect_code") from None


class SecondStepForm(RefusesMalformed, AuthenticateWebAuthnForm):
    """The second step of a sign-in."""

    credential = CredentialField()


class SignInForm(RefusesMalformed, LoginWebAuthnForm):
    """A sign-in with a passkey alone."""

    credential = CredentialField()


class ConfirmForm(RefusesMalformed, ReauthenticateWebAuthnForm):
    """The passkey of a person who is signed in."""

    credential = CredentialField()


class AddForm(AddWebAuthnForm):
    """A new passkey."""

    credential = CredentialField()

    def clean(self) -> Any:
        try:
            return super().clean()
        except MALFORMED:
            raise get_adapter().validation_error("incorrect_code") from None
