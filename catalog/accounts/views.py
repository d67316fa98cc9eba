"""Signing in and out, and a person's own tokens."""

from __future__ import annotations

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from catalog.accounts.auth import actor
from catalog.accounts.entering import TRIES_WINDOW, counted_try, create_token, is_locked, use_sign_in_link
from catalog.accounts.models import SCOPES, ApiToken, SignInLink
from catalog.errors import Busy


def address_of(request: HttpRequest) -> str:
    """Where a request comes from: behind a trusted proxy what it wrote last into X-Forwarded-For, else the peer."""
    if settings.TRUST_PROXY and (told := request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()):
        return told
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


class SignIn(LoginView):
    template_name = "registration/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True


class SignOut(LogoutView):
    http_method_names = ["post", "options"]


@require_safe
@sensitive_variables()
def sign_in_by_link(request: HttpRequest, secret: str) -> HttpResponse:
    """Sign in by the one-time link that the server printed at its start."""
    user = use_sign_in_link(secret) if request.method == "GET" else None
    if user is None:
        context = {"hours": int(SignInLink.LIFETIME.total_seconds() // 3600)}
        return render(request, "registration/link_used.html", context, status=410)
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    return redirect("catalog:tool_list")


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
    """A person's API tokens; a POST makes one and shows its secret, once."""
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
    """End one of the person's own tokens, at once."""
    token = get_object_or_404(ApiToken, pk=pk, user=actor(request))
    if token.revoked_at is None:
        token.revoked_at = timezone.now()
        token.save(update_fields=["revoked_at"])
    messages.success(request, f"The token {token} is revoked.")
    return redirect("accounts:tokens")
