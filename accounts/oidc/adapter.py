"""Who may sign in with the provider, as whom, and what is shown if that fails."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Any, Final

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp, SocialLogin
from allauth.socialaccount.providers.base.constants import AuthError
from django.conf import settings
from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode

from accounts.models import User
from accounts.oidc.accounts import site_app
from accounts.oidc.groups import is_admitted, update_groups
from accounts.roles import READER, record_group_changes, set_role
from accounts.session_store import end_sessions
from accounts.sign_in_audit import record_refused_sign_in
from accounts.tokens import end_tokens

logger = logging.getLogger(__name__)

NAME_FIELDS: Final = ("username", "first_name", "last_name")
MAX_NAME_CHARACTERS: Final = 150  # of the columns
ERROR_CODE: Final = re.compile(r"[a-z_]{1,60}", re.ASCII)


class ProviderAccountAdapter(DefaultSocialAccountAdapter):
    def list_apps(
        self,
        request: Any,  # noqa: ARG002
        provider: Any = None,  # noqa: ARG002
        client_id: Any = None,  # noqa: ARG002
    ) -> list[SocialApp]:
        """The provider of the settings alone: none can be added in the database."""
        return [site_app()] if settings.OIDC_ISSUER else []

    def get_provider(
        self,
        request: Any,
        provider: Any,  # noqa: ARG002
        client_id: Any = None,  # noqa: ARG002
    ) -> Any:
        from accounts.oidc.provider import Provider  # noqa: PLC0415 - its imports take 0.1 s

        return Provider(request, app=site_app())

    def is_open_for_signup(
        self,
        request: HttpRequest,  # noqa: ARG002
        sociallogin: SocialLogin,  # noqa: ARG002
    ) -> bool:
        """People who are admitted get an account at their first sign-in."""
        return True

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Refuse people who may not sign in.

        Those who could before lose their rights and their sessions.
        """
        claims = claims_of(sociallogin)
        user = None
        if sociallogin.is_existing and isinstance(sociallogin.user, User):
            user = sociallogin.user
            update_groups(user, claims)
        if is_admitted(claims):
            return
        if user:
            revoke_rights(user)
        refuse(
            request,
            "You may not sign in to this site",
            f"Your account at {settings.OIDC_NAME} is in no group that may sign in here. "
            "Ask an administrator.",
            status=403,
            user=user,
        )

    def populate_user(
        self, request: HttpRequest, sociallogin: SocialLogin, data: dict[str, Any]
    ) -> Any:
        user = super().populate_user(request, sociallogin, data)
        for name in NAME_FIELDS:  # other databases than SQLite refuse longer texts
            setattr(user, name, getattr(user, name)[:MAX_NAME_CHARACTERS])
        return user

    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: Any = None) -> Any:
        """Create the account, with its groups."""
        try:
            with transaction.atomic():
                user = super().save_user(request, sociallogin, form)
                update_groups(user, claims_of(sociallogin))
        except IntegrityError:  # the first sign-in, twice at the same time
            refuse(
                request,
                "Not signed in",
                "You have signed in twice at the same time. Sign in again.",
                status=409,
            )
        return user

    def get_connect_redirect_url(
        self,
        request: HttpRequest,  # noqa: ARG002
        socialaccount: Any,  # noqa: ARG002
    ) -> str:
        return reverse("mfa_index")

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,
        error: Any = None,
        exception: Exception | None = None,
        extra_context: dict[str, Any] | None = None,
    ) -> None:
        """Answer a sign-in that failed at the provider or on the way.

        Raises:
            ImmediateHttpResponse: always; it carries the answer.
        """
        from requests import RequestException  # noqa: PLC0415 - its import takes 0.05 s

        del provider
        state = (extra_context or {}).get("state") or {}
        if (
            error == AuthError.CANCELLED or request.GET.get("error") == "access_denied"
        ):  # some leave out the state then
            messages.info(request, f"You cancelled the sign-in with {settings.OIDC_NAME}.")
            raise ImmediateHttpResponse(back_to_sign_in(state.get("next", "")))
        if isinstance(exception, RequestException):
            logger.warning("The OpenID Connect provider failed: %s", exception)
            unreachable(request)
        if exception is not None:
            logger.warning("A sign-in with the OpenID Connect provider failed: %s", exception)
            detail = (
                f"The response of {settings.OIDC_NAME} could not be verified. Start again; "
                "if it fails again, ask an administrator: the log has the reason."
            )
            refuse(request, "Not signed in", detail, status=401)
        if not state:
            detail = "This sign-in has expired, has been used, or was started in another browser."
            detail += " Start again."
            refuse(request, "Not signed in", detail, status=400)
        code = request.GET.get("error", "")
        reason = f": {code}" if ERROR_CODE.fullmatch(code) else ""
        logger.warning("The OpenID Connect provider refused a sign-in%s", reason)
        detail = f"{settings.OIDC_NAME} refused the sign-in{reason}."
        refuse(request, "Not signed in", detail, status=401)


def claims_of(sociallogin: SocialLogin) -> Mapping[str, Any]:
    """The claims about the person, which provider.py has verified."""
    claims: Mapping[str, Any] = vars(sociallogin)["claims"]
    return claims


def revoke_rights(user: User) -> None:
    """Make a person who may no longer sign in a reader, and end their sessions and API tokens."""
    if not user.is_superuser:
        with record_group_changes(user):
            set_role(user, READER)
    end_tokens(user)
    end_sessions(user)


def unreachable(request: HttpRequest) -> None:
    """Raises: ImmediateHttpResponse: always."""
    detail = f"{settings.OIDC_NAME} does not respond at the moment."
    detail += " Try again in a minute, or sign in another way."
    refuse(request, "Temporarily unavailable", detail, status=503)


def refuse(
    request: HttpRequest, title: str, detail: str, status: int, user: User | None = None
) -> None:
    """Raises: ImmediateHttpResponse: always."""
    record_refused_sign_in(f"{title}: {detail}", user)
    context = {"title": title, "detail": detail}
    raise ImmediateHttpResponse(render(request, "accounts/refused.html", context, status=status))


def back_to_sign_in(url: str) -> HttpResponse:
    query = f"?{urlencode({'next': url})}" if url else ""
    return redirect(f"{reverse('accounts:sign_in')}{query}")
