"""Sign in and out, and manage sessions, the password and API tokens."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from allauth.account.utils import perform_login
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_not_required, login_required
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, SetPasswordForm
from django.contrib.auth.mixins import LoginRequiredMixin
from django.contrib.auth.views import LoginView, LogoutView, PasswordChangeView, RedirectURLMixin
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.adapters import AccountAdapter
from accounts.api_auth import actor
from accounts.confirmation import ask_to_confirm, is_confirmed
from accounts.models import SCOPES, ApiToken, Session, SignInLink, User, digest
from accounts.next_page import is_page_of_site, recall_next, remember_next
from accounts.oidc.accounts import provider_name, signs_in_with_provider_alone
from accounts.second_factors.passkeys import passkeys_work
from accounts.session_store import (
    SIGNED_IN_BROWSER,
    end_sessions,
    limit_visitors_session,
    usable_sessions,
)
from accounts.sign_in_links import SetUpForm, find_usable_link, use_set_up_link, use_sign_in_link
from accounts.throttling import Origin, count_guess, find_origin
from accounts.tokens import DEFAULT_DAYS, MAX_DAYS, create_token, end_tokens
from accounts.tokens import revoke_token as end_token
from accounts.unfinished_forms import is_stored
from accounts.users import is_set_up
from toolshelf_core import audit
from toolshelf_core.client_address import is_local
from toolshelf_core.templatetags.text_display import count

MAX_SESSIONS: Final = 100  # shown
# In this order, because later browsers also claim to be earlier ones.
_BROWSERS: Final = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrom", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS: Final = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


class SignInForm(AuthenticationForm):
    """Django's form, with a limit on guesses (throttling.py).

    Attributes:
        retry_after_s: if the attempt was refused without checking the password, when to try again;
            else None.
    """

    request: HttpRequest
    retry_after_s: int | None = None

    def clean(self) -> dict[str, object]:
        username = str(self.cleaned_data.get("username", ""))
        with count_guess(self, username, find_origin(self.request, username)):
            return super().clean()


class RedirectsToNext(RedirectURLMixin):
    """Redirects to `next` after signing in, if it is a page of this site."""

    next_page = settings.LOGIN_REDIRECT_URL
    request: HttpRequest

    def get_redirect_url(self, request: HttpRequest | None = None) -> str:  # noqa: ARG002
        url = super().get_redirect_url()
        return url if is_page_of_site(self.request, url) else ""


class SignIn(RedirectsToNext, LoginView):
    """Sign in with a password."""

    template_name = "accounts/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: object) -> dict[str, Any]:
        provider = provider_name()
        context = {
            "is_stored": is_stored(self.request),
            "is_lost": "unsaved" in self.request.GET,
            "minutes": SignInLink.MINUTES,
            "provider": provider,
            "is_set_up": is_set_up(),
            "may_browse": settings.ANONYMOUS_BROWSING,
            "link_first": not provider and self.request.method != "POST" and is_local(self.request),
            "passkeys_work": passkeys_work(self.request),
        }
        return super().get_context_data(**kwargs) | context

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        response = super().render_to_response(context, **kwargs)
        remember_next(self.request, response, self.get_redirect_url())
        return response

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        limit_visitors_session(self.request)
        response: HttpResponse = perform_login(
            self.request,
            form.get_user(),
            email_verification="none",
            redirect_url=self.get_success_url(),
        )
        return response

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_invalid(form)
        if isinstance(form, SignInForm) and form.retry_after_s is not None:
            response.status_code = 429
            response["Retry-After"] = str(form.retry_after_s)
        return response


class SignOut(LogoutView):
    http_method_names = ["post", "options"]


@method_decorator(login_not_required, name="dispatch")
class SignInByLink(RedirectsToNext, View):
    """Sign in by a link that was printed on the server's machine.

    Opening it shows a page with one button, so that a preview of the link does not use it up; only
    pressing the button does.
    """

    http_method_names = ["get", "head", "post", "options"]

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = super().dispatch(request, *args, **kwargs)
        response["Cache-Control"] = "no-store"
        # `no-referrer` alone would make browsers send `Origin: null` with the form, which the check
        # of its origin refuses. Browsers apply the last policy that they know; this one sends the
        # site's address without the path.
        response["Referrer-Policy"] = "no-referrer, strict-origin"
        response["X-Robots-Tag"] = "noindex, nofollow"
        return response

    def get(self, request: HttpRequest) -> HttpResponse:
        link = find_usable_link(self.secret)
        if link is None:
            return self.refuse()
        if link.user is None:
            return self.ask_for_administrator(SetUpForm())
        context = {"account": link.user, "lasts": link.lasts, "next": self.get_redirect_url()}
        return render(request, "accounts/link.html", context)

    def post(self, request: HttpRequest) -> HttpResponse:
        link = find_usable_link(self.secret)
        if link is not None and link.user is None:
            return self.set_up(SetUpForm(request.POST))
        return self.enter(use_sign_in_link(self.secret))

    def set_up(self, form: SetUpForm) -> HttpResponse:
        """Create the site's first administrator, and sign them in."""
        if not form.is_valid():
            return self.ask_for_administrator(form)
        return self.enter(use_set_up_link(self.secret, form))

    def ask_for_administrator(self, form: SetUpForm) -> HttpResponse:
        status = 422 if form.is_bound else 200
        return render(self.request, "accounts/set_up.html", {"form": form}, status=status)

    def enter(self, user: User | None) -> HttpResponse:
        """Sign `user` in; None if the link can no longer be used."""
        if user is None:
            return self.refuse()
        response: HttpResponse = AccountAdapter(self.request).enter_by_link(
            self.request, user, self.get_success_url()
        )
        return response

    def refuse(self) -> HttpResponse:
        context = {"is_local": is_local(self.request)}
        return render(self.request, "accounts/link_used.html", context, status=410)

    @property
    def secret(self) -> str:
        return str(getattr(self.request, "sign_in_secret", ""))

    def get_redirect_url(self, request: HttpRequest | None = None) -> str:
        return super().get_redirect_url(request) or recall_next(self.request)


@login_required
@require_safe
def sessions(request: HttpRequest) -> HttpResponse:
    """The browsers in which the user is signed in."""
    this_digest = digest(request.session.session_key or "")
    rows = []
    latest = usable_sessions(timezone.now()).filter(user=actor(request)).order_by("-last_used_at")
    for session in latest[:MAX_SESSIONS]:
        browser = session.get_decoded().get(SIGNED_IN_BROWSER, {})
        at = browser.get("at")
        row = {
            "name": name_browser(browser.get("agent", "")),
            "signed_in_at": datetime.fromisoformat(at) if at else None,
            "last_used_at": session.last_used_at,
            "is_this": session.session_key == this_digest,
            "digest": session.session_key,
        }
        rows.append(row)
    context = {"sessions": rows, "idle_hours": settings.SESSION_IDLE_HOURS}
    return render(request, "accounts/sessions.html", context)


@login_required
@require_POST
def end_session(request: HttpRequest, session_digest: str) -> HttpResponse:
    """End one session of the user, by the digest of its key, which opens no session."""
    session = get_object_or_404(Session, user=actor(request), session_key=session_digest)
    is_this = session.session_key == digest(request.session.session_key or "")
    name = name_browser(session.get_decoded().get(SIGNED_IN_BROWSER, {}).get("agent", ""))
    with transaction.atomic():
        session.delete()
        after = {"sessions": 1, "browser": name}
        audit.record("sessions.end", "person", actor(request).username, after=after)
    if is_this:
        logout(request)
        return redirect("accounts:sign_in")
    messages.success(request, f"The session in {name} has ended.")
    return redirect("accounts:sessions")


def name_browser(user_agent: str) -> str:
    """A browser for its user, "Firefox on Linux", from the header `User-Agent`.

    "Unknown browser" for another one.
    """
    browser = next((name for mark, name in _BROWSERS if mark in user_agent), "Unknown browser")
    system = next((name for mark, name in _SYSTEMS if mark in user_agent), "")
    return f"{browser} on {system}" if system else browser


@login_required
@require_POST
def sign_out_everywhere(request: HttpRequest) -> HttpResponse:
    """End all sessions of the user, this one too, and their API tokens."""
    with transaction.atomic():
        session_count = end_sessions(actor(request))
        token_count = end_tokens(actor(request))
        after = {"sessions": session_count}
        audit.record("sessions.end", "person", actor(request).username, after=after)
    logout(request)
    message = f"You are signed out everywhere ({count(session_count, 'session')} ended)."
    if token_count:
        message += f" {count(token_count, 'API token')} ended, too."
    messages.success(request, message)
    return redirect("accounts:sign_in")


class OldPasswordForm(PasswordChangeForm):
    """Django's form, with the limit on guesses that signing in has."""

    def __init__(self, *args: Any, origin: Origin, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.origin = origin

    def clean_old_password(self) -> str:
        name = self.user.get_username()
        with count_guess(self, name, self.origin):
            if not self.user.check_password(self.cleaned_data["old_password"]):
                audit.record("sign-in.failed", "person", name)
                message = self.error_messages["password_incorrect"]
                raise ValidationError(message, code="password_incorrect")
        return str(self.cleaned_data["old_password"])


class ChangePassword(LoginRequiredMixin, PasswordChangeView):
    """Change the user's password, or set the first one.

    Their other sessions and their API tokens end. The first password needs a recent sign-in, as
    there is no old one to ask for. People who sign in with the provider alone get no password: it
    would still work when they have left there.
    """

    template_name = "accounts/password.html"
    success_url = reverse_lazy("accounts:sessions")

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated and signs_in_with_provider_alone(actor(request)):
            raise PermissionDenied(
                f"You sign in with {settings.OIDC_NAME}, so your account here has no password."
            )
        return super().dispatch(request, *args, **kwargs)

    def get_form_class(self) -> type[Any]:
        if actor(self.request).has_usable_password():
            return OldPasswordForm
        return SetPasswordForm

    def get_form_kwargs(self) -> dict[str, Any]:
        kwargs = super().get_form_kwargs()
        user = actor(self.request)
        if user.has_usable_password():
            kwargs["origin"] = find_origin(self.request, user.get_username())
        return kwargs

    def form_valid(self, form: Any) -> HttpResponse:
        user = actor(self.request)
        if not user.has_usable_password() and not is_confirmed(self.request):
            return ask_to_confirm(self.request, self.request.path)
        had_tokens = any(token.state == "usable" for token in user.tokens.all())
        with transaction.atomic():
            response = super().form_valid(form)
            audit.record("password.change", "person", user.username)
            end_sessions(user, except_key=self.request.session.session_key)
        message = "Password changed. You are signed out in all other browsers."
        if had_tokens:
            message += " Your API tokens have ended: create new ones."
        messages.success(self.request, message)
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        response = super().form_invalid(form)
        response.status_code = 422
        return response


SCOPE_WORDS: Final = (
    ("read", "read all runs that you may see"),
    ("publish", "upload, change, archive and restore tools"),
    ("run", "run tools, cancel runs, read your own runs, and manage your saved configurations"),
    ("admin", "manage sources and webhooks, and read the audit log; for administrators only"),
)


class TokenForm(forms.Form):
    name = forms.CharField(max_length=100, required=False)
    scopes = forms.MultipleChoiceField(
        choices=[(scope, scope) for scope in SCOPES],
        initial=["read"],
        error_messages={"required": "Choose at least one scope."},
    )
    days = forms.IntegerField(min_value=0, max_value=MAX_DAYS, initial=DEFAULT_DAYS, required=False)
    toolkits = forms.CharField(max_length=1000, required=False)

    def clean_days(self) -> int:
        days: int | None = self.cleaned_data["days"]
        return DEFAULT_DAYS if days is None else days

    def clean_toolkits(self) -> list[str]:
        """The names, which commas separate."""
        names = map(str.strip, self.cleaned_data["toolkits"].split(","))
        return list(filter(None, names))


@login_required
@sensitive_variables()
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """The user's API tokens; a POST creates one and shows its secret once.

    The page fills in the form from its address: so it comes back after the person was asked to
    confirm.
    """
    secret = None
    form = TokenForm(initial=read_initial(request))
    if request.method == "POST":
        form = TokenForm(request.POST)
    if form.is_valid():
        if not is_confirmed(request):
            return ask_to_confirm(request, f"{request.path}?{write_query(request)}")
        _, secret = create_token(actor(request), **form.cleaned_data)
        form = TokenForm()
    context = {
        "form": form,
        "scopes": SCOPE_WORDS,
        "secret": secret,
        "tokens": ApiToken.objects.filter(user=actor(request)),
    }
    status = 422 if form.errors else 200
    response = render(request, "accounts/tokens.html", context, status=status)
    if secret:
        response["Cache-Control"] = "no-store"
    return response


def read_initial(request: HttpRequest) -> dict[str, Any]:
    """The values of the form in the address of the page."""
    initial: dict[str, Any] = request.GET.dict()
    if "scopes" in request.GET:
        initial["scopes"] = request.GET.getlist("scopes")
    return initial


def write_query(request: HttpRequest) -> str:
    """The values of a form that was sent, as a query."""
    query = QueryDict(mutable=True)
    for name in ("name", "scopes", "days", "toolkits"):
        query.setlist(name, request.POST.getlist(name))
    return query.urlencode()


@login_required
@require_POST
def revoke_token(request: HttpRequest, pk: int) -> HttpResponse:
    """Revoke one of the user's own tokens."""
    token = get_object_or_404(ApiToken, pk=pk, user=actor(request))
    end_token(token)
    messages.success(request, f"Token {token} revoked.")
    return redirect("accounts:tokens")
