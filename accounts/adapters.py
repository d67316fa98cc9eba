"""How django-allauth signs people in here: `AccountAdapter`, and `SecondFactorAdapter`.

Each sign-in ends in `AccountAdapter`, with a password, a passkey, a provider or a one-time link: it
opens the session, notes the browser, and leads back to the page that the person came from.
"""

from __future__ import annotations

from typing import Any, Final

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.internal.flows.login import record_authentication
from allauth.core import context
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.debug import sensitive_variables

from accounts.known_browsers import remember_browser
from accounts.models import User
from accounts.next_page import is_page_of_site, remember_next
from accounts.second_factors.secrets import decrypt_secret
from accounts.session_store import note_sign_in
from accounts.sign_in_audit import record_refused_sign_in
from accounts.users import LOCAL_OWNER
from toolshelf_core import encryption
from toolshelf_core.client_address import network_of

BACKEND: Final = "django.contrib.auth.backends.ModelBackend"
KEY_NAMES: Final = ("Passkey", "Second passkey")


class AccountAdapter(DefaultAccountAdapter):
    error_messages = DefaultAccountAdapter.error_messages | {
        "incorrect_password": "The password is wrong."
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002
        """Nobody signs up.

        An administrator creates accounts, or the first sign-in with the provider does.
        """
        return False

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """A provider cannot give anyone the name that links of the server's machine are for."""
        if username.casefold() == LOCAL_OWNER:
            raise self.validation_error("username_blacklisted")
        return str(super().clean_username(username, shallow))

    def get_login_stages(self) -> list[str]:
        """The steps after a password or a provider: the second factor, if the person has one."""
        return ["allauth.mfa.stages.AuthenticateStage"]

    def login(self, request: HttpRequest, user: Any) -> None:
        login(request, user, backend=BACKEND)
        note_sign_in(request)

    def post_login(self, request: HttpRequest, user: Any, **kwargs: Any) -> HttpResponse:
        response = super().post_login(request, user, **kwargs)
        remember_next(request, response, "")
        remember_browser(request, response, user)
        return response

    def enter_by_link(self, request: HttpRequest, user: User, url: str) -> HttpResponse:
        """Sign in by a one-time link and go to `url`.

        Such a link is printed on the server's machine, where one may change everything. So it needs
        no second factor, and people who lost theirs can remove it.
        """
        response = HttpResponseRedirect(url)
        self.login(request, user)
        record_authentication(request, user, "link", reauthenticated=True)
        remember_next(request, response, "")
        remember_browser(request, response, user)
        return response

    def respond_user_inactive(self, request: HttpRequest, user: Any) -> HttpResponse:
        record_refused_sign_in("the account is disabled", user)
        detail = (
            f"The account {user.get_username()} is disabled. Ask an administrator of this site."
        )
        return render(
            request,
            "accounts/refused.html",
            {"title": "Not signed in", "detail": detail},
            status=403,
        )

    def is_safe_url(self, url: str | None) -> bool:
        return bool(url) and is_page_of_site(context.request, str(url))

    def get_client_ip(self, request: HttpRequest) -> str:
        return network_of(request)

    def add_message(
        self,
        request: HttpRequest,
        level: int,
        message_template: str | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        if message_template != "account/messages/logged_in.txt":  # the page shows the name anyway
            super().add_message(request, level, message_template, *args, **kwargs)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """The site sends no e-mail."""


class SecondFactorAdapter(DefaultMFAAdapter):
    error_messages = DefaultMFAAdapter.error_messages | {"incorrect_code": "The code is wrong."}

    @sensitive_variables()
    def encrypt(self, text: str) -> str:
        return encryption.encrypt(text)

    @sensitive_variables()
    def decrypt(self, encrypted_text: str) -> str:
        return decrypt_secret(encrypted_text)

    def get_totp_label(self, user: Any) -> str:
        return str(user.get_username())

    def _get_user_identifier(self, user: Any) -> str:
        return str(user.get_username())

    def build_totp_svg(self, url: str) -> SafeString:
        """The QR code as an element of a page, without an XML declaration."""
        drawing = super().build_totp_svg(url)
        drawing = drawing[drawing.index("<svg") :]
        return mark_safe(drawing)  # noqa: S308 - drawn by a library from the code's squares

    def generate_authenticator_name(self, user: Any, type: Authenticator.Type) -> str:  # noqa: A002
        count = Authenticator.objects.filter(user_id=user.pk, type=type).count()
        return KEY_NAMES[count] if count < len(KEY_NAMES) else f"Passkey {count + 1}"
