"""Sign in with the OpenID Connect provider: start, and return from it. Imported when needed."""

from __future__ import annotations

from functools import wraps
from typing import Any

from allauth.account.internal.flows.reauthentication import did_recently_reauthenticate
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.providers.base.constants import AuthProcess
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_GET, require_POST
from requests import RequestException

from accounts.confirmation import ask_to_confirm, is_confirmed
from accounts.lazy_views import View
from accounts.next_page import is_page_of_site
from accounts.oidc.accounts import provider_id
from accounts.oidc.provider import Adapter
from accounts.rate_limits import limit_sign_in_starts
from accounts.session_store import limit_visitors_session


def with_provider(view: View) -> View:
    """404 on a site without a provider."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if not settings.OIDC_ISSUER:
            raise Http404
        return view(request, *args, **kwargs)

    return checked


@with_provider
@never_cache
@require_POST
def start(request: HttpRequest) -> HttpResponse:
    """Lead to the provider, to sign in, or to link the account of a person who is signed in.

    The answer is a page that goes there by itself: the policy of the form's page allows no redirect
    to another site.
    """
    limit_sign_in_starts(request)
    links = request.user.is_authenticated and request.POST.get("process") == "link"
    if links and not (
        did_recently_reauthenticate(request) and is_confirmed(request)
    ):  # the first is allauth's rule
        return ask_to_confirm(request, reverse("mfa_index"))
    url = reverse("mfa_index") if links else request.POST.get("next", "")
    limit_visitors_session(request)
    adapter = get_adapter(request)
    provider = adapter.get_provider(request, provider_id())
    try:
        answer = provider.redirect(
            request,
            AuthProcess.CONNECT if links else AuthProcess.LOGIN,
            next_url=url if is_page_of_site(request, url) else None,
        )
    except (RequestException, OAuth2Error) as error:
        return failed(request, provider, error)
    page = render(
        request,
        "accounts/continue.html",
        {"provider": settings.OIDC_NAME, "url": answer["Location"]},
    )
    page["Refresh"] = f"0; url={answer['Location']}"
    return page


@with_provider
@never_cache
@require_GET
@sensitive_variables()
def callback(request: HttpRequest) -> HttpResponse:
    """The provider's answer: `code` and `state`, or `error`."""
    adapter = Adapter(request, provider_id())
    try:
        view = OAuth2CallbackView.adapter_view(adapter)  # type: ignore[no-untyped-call]
        response: HttpResponse = view(request)
    except (RequestException, OAuth2Error) as error:
        return failed(request, adapter.get_provider(), error)  # type: ignore[no-untyped-call]
    return response


def failed(request: HttpRequest, provider: Any, error: Exception) -> HttpResponse:
    try:
        get_adapter(request).on_authentication_error(request, provider, exception=error)
    except ImmediateHttpResponse as answer:
        return answer.response
    raise error
