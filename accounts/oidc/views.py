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
    def check_and_call(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if not settings.OIDC_ISSUER:
            raise Http404
        return view(request, *args, **kwargs)

    return check_and_call


@with_provider
@never_cache
@require_POST
def start(request: HttpRequest) -> HttpResponse:
    """Lead to the provider, to sign in, or to link the account of a person who is signed in.

    The answer is a page that goes there by itself: the policy of the form's page allows no redirect
    to another site.
    """
    limit_sign_in_starts(request)
    process, url = AuthProcess.LOGIN, request.POST.get("next", "")
    if request.user.is_authenticated and request.POST.get("process") == "link":
        process, url = AuthProcess.CONNECT, reverse("mfa_index")
        # The first is allauth's rule.
        if not (did_recently_reauthenticate(request) and is_confirmed(request)):
            return ask_to_confirm(request, url)
    limit_visitors_session(request)
    adapter = get_adapter(request)
    provider = adapter.get_provider(request, provider_id())
    try:
        next_url = url if is_page_of_site(request, url) else None
        answer = provider.redirect(request, process, next_url=next_url)
    except (RequestException, OAuth2Error) as error:
        return report_failure(request, provider, error)
    url = answer["Location"]
    context = {"provider": settings.OIDC_NAME, "url": url}
    page = render(request, "accounts/continue.html", context)
    page["Refresh"] = f"0; url={url}"
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
        provider = adapter.get_provider()  # type: ignore[no-untyped-call]
        return report_failure(request, provider, error)
    return response


def report_failure(request: HttpRequest, provider: Any, error: Exception) -> HttpResponse:
    try:
        get_adapter(request).on_authentication_error(request, provider, exception=error)
    except ImmediateHttpResponse as answer:
        return answer.response
    raise error
