"""Sign in and out, and manage one's own API tokens."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote, unquote, urlsplit

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView, RedirectURLMixin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views import View
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from catalog.accounts.api_auth import actor
from catalog.accounts.models import SCOPES, ApiToken, SignInLink, User
from catalog.accounts.sign_in_links import usable_link, use_sign_in_link
from catalog.accounts.throttling import TRIES_WINDOW, counted_try, is_locked
from catalog.accounts.tokens import create_token
from catalog.accounts.tokens import revoke_token as end_token
from catalog.accounts.unfinished_forms import is_stored
from catalog.errors import Busy

LINK_MINUTES: Final = int(SignInLink.LIFETIME.total_seconds() // 60)
MAX_NEXT_CHARACTERS: Final = 2000


def address_of(request: HttpRequest) -> str:
    """The client's address: behind a trusted proxy the last entry of X-Forwarded-For, otherwise the peer."""
    forwarded = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
    if settings.TRUST_PROXY and forwarded:
        return forwarded
    return str(request.META.get("REMOTE_ADDR", ""))


class SignInForm(AuthenticationForm):
    """Django's form, with a limit on guesses per account and per address."""

    def clean(self) -> dict[str, object]:
        username = str(self.cleaned_data.get("username", ""))
        address = address_of(self.request) if self.request else ""
        if is_locked(username, address):
            minutes = int(TRIES_WINDOW.total_seconds() // 60)
            raise forms.ValidationError(f"Too many wrong passwords. Try again in {minutes} minutes.", code="locked")
        try:
            with counted_try(username, address):
                return super().clean()
        except Busy as busy:
            raise forms.ValidationError(str(busy), code="busy") from None


class RedirectsToNext(RedirectURLMixin):
    """Redirects to `next` after signing in, if it is on this site; `remember_next` stores it for another view."""

    next_page = settings.LOGIN_REDIRECT_URL
    request: HttpRequest

    def get_redirect_url(self, request: HttpRequest | None = None) -> str:  # noqa: ARG002 - as the stubs have it
        return self.checked(super().get_redirect_url())

    def checked(self, url: str) -> str:
        """`url` if it is a page of this site to return to, else ""."""
        is_own = url_has_allowed_host_and_scheme(
            url, allowed_hosts=self.get_success_url_allowed_hosts(), require_https=self.request.is_secure()
        )
        if not is_own or len(url) > MAX_NEXT_CHARACTERS:
            return ""
        path = urlsplit(url).path
        is_circular = path.startswith(reverse("accounts:sign_in")) or path == reverse("accounts:sign_out")
        return "" if is_circular else url

    def remembered_next(self) -> str:
        return self.checked(unquote(self.request.COOKIES.get(settings.NEXT_COOKIE_NAME, "")))

    def remember_next(self, response: HttpResponse, url: str) -> None:
        """Store `url` for the sign-in link that this browser may open next, in another tab; "" deletes it."""
        if not url and settings.NEXT_COOKIE_NAME not in self.request.COOKIES:
            return
        response.set_cookie(
            settings.NEXT_COOKIE_NAME,
            quote(url),
            max_age=SignInLink.LIFETIME if url else 0,
            path=reverse("accounts:sign_in"),
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )

    def enter(self, user: User) -> HttpResponse:
        """Sign the user in, and redirect to the page that they came from."""
        response = HttpResponseRedirect(self.get_success_url())
        login(self.request, user, backend="django.contrib.auth.backends.ModelBackend")
        self.request.session.set_expiry(None)  # a visitor's session with an unfinished form expires soon
        self.remember_next(response, "")
        return response


class SignIn(RedirectsToNext, LoginView):
    """Sign in with a password."""

    template_name = "registration/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: object) -> dict[str, Any]:
        unfinished = {"is_stored": is_stored(self.request), "is_lost": "unsaved" in self.request.GET}
        return super().get_context_data(**kwargs) | unfinished | {"minutes": LINK_MINUTES}

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        response = super().render_to_response(context, **kwargs)
        self.remember_next(response, self.get_redirect_url())
        return response

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        return self.enter(form.get_user())


class SignOut(LogoutView):
    http_method_names = ["post", "options"]


class SignInByLink(RedirectsToNext, View):
    """Sign in by a link that was printed on the server's machine.

    Opening it shows a page with one button, so that a preview of the link does not use it up; only pressing the button
    does.
    """

    http_method_names = ["get", "head", "post", "options"]

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = super().dispatch(request, *args, **kwargs)
        response["Cache-Control"] = "no-store"
        # `no-referrer` alone would make browsers send `Origin: null` with the form, which the check of its origin
        # refuses. Browsers apply the last policy that they know; this one sends the site's address without the path.
        response["Referrer-Policy"] = "no-referrer, strict-origin"
        response["X-Robots-Tag"] = "noindex, nofollow"
        return response

    def get(self, request: HttpRequest) -> HttpResponse:
        link = usable_link(self.secret)
        if link is None:
            return self.refuse()
        context = {"account": link.user, "minutes": LINK_MINUTES, "next": self.get_redirect_url()}
        return render(request, "registration/link.html", context)

    def post(self, request: HttpRequest) -> HttpResponse:  # noqa: ARG002
        user = use_sign_in_link(self.secret)
        return self.refuse() if user is None else self.enter(user)

    def refuse(self) -> HttpResponse:
        return render(self.request, "registration/link_used.html", {"minutes": LINK_MINUTES}, status=410)

    @property
    def secret(self) -> str:
        return str(getattr(self.request, "sign_in_secret", ""))

    def get_redirect_url(self, request: HttpRequest | None = None) -> str:
        return super().get_redirect_url(request) or self.remembered_next()


class TokenForm(forms.Form):
    name = forms.CharField(max_length=100, required=False)
    scopes = forms.MultipleChoiceField(
        choices=[(scope, scope) for scope in SCOPES],
        initial=["read"],
        error_messages={"required": "Choose at least one thing that the token may do."},
    )
    days = forms.IntegerField(min_value=1, max_value=3650, initial=90, required=False)


@login_required
@sensitive_variables()
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """The user's API tokens; a POST creates one and shows its secret once."""
    secret = None
    form = TokenForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        _, secret = create_token(actor(request), **form.cleaned_data)
        form = TokenForm()
    context = {
        "form": form,
        "scopes": [
            ("read", "read all runs that you may see"),
            ("publish", "upload, change, archive and restore tools"),
            ("run", "run tools, cancel runs, read your own runs, and manage your saved configurations"),
        ],
        "secret": secret,
        "tokens": ApiToken.objects.filter(user=actor(request)),
    }
    return render(request, "registration/tokens.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def revoke_token(request: HttpRequest, pk: int) -> HttpResponse:
    """Revoke one of the person's own tokens."""
    token = get_object_or_404(ApiToken, pk=pk, user=actor(request))
    end_token(token)
    messages.success(request, f"The token {token} is revoked.")
    return redirect("accounts:tokens")
