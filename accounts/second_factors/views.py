"""Allauth's views for second factors and passkeys, with the statuses and rules of this site.

They are imported when they are needed.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from allauth.account.internal.flows.reauthentication import did_recently_reauthenticate
from allauth.account.views import ReauthenticateView
from allauth.core.exceptions import ReauthenticationRequired
from allauth.mfa.base import views as base
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as webauthn
from allauth.socialaccount.internal.flows.connect import disconnect, validate_disconnect
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from accounts.api_auth import actor
from accounts.lazy_views import View
from accounts.oidc.accounts import linked_accounts, provider_name
from accounts.rate_limits import limit_sign_in_starts
from accounts.second_factors.forms import LAST_COUNTER, retry_after
from accounts.second_factors.passkeys import NO_PASSKEYS_HERE, passkeys_work
from accounts.second_factors.requirement import needs_second_factor
from accounts.session_store import limit_visitors_session
from accounts.sign_in_audit import record_wrong_passkey
from toolshelf_core import audit


class StatusOfRefusals:
    """A refused form gets status 422, or 429 with `Retry-After` after too many attempts."""

    def form_invalid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_invalid(form)  # type: ignore[misc]
        response.status_code = HTTPStatus.UNPROCESSABLE_ENTITY
        if (wait_s := retry_after(form)) is not None:
            response.status_code = HTTPStatus.TOO_MANY_REQUESTS
            response["Retry-After"] = str(wait_s)
        return response


class StoredWithItsEvent:
    """A change and its event in the audit log are stored in one transaction."""

    def form_valid(self, form: Any) -> HttpResponse:
        with transaction.atomic():
            response: HttpResponse = super().form_valid(form)  # type: ignore[misc]
        return response


@method_decorator(sensitive_post_parameters(), name="dispatch")
class SecondStep(StatusOfRefusals, base.AuthenticateView):
    """The second step of a sign-in: a code, or a passkey."""

    def form_invalid(self, form: Any) -> HttpResponse:
        if "credential" in form.fields:
            record_wrong_passkey(self.stage.login.user)
        return super().form_invalid(form)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        limit_visitors_session(self.request)
        user = self.stage.login.user
        types = set(user.authenticator_set.values_list("type", flat=True))
        return super().get_context_data(**kwargs) | {
            "account": user,
            "has_passkey": "webauthn" in types and passkeys_work(self.request),
            "has_app": "totp" in types,
        }


@method_decorator(sensitive_post_parameters(), name="dispatch")
class ConfirmPassword(StatusOfRefusals, ReauthenticateView):
    pass


@method_decorator(sensitive_post_parameters(), name="dispatch")
class ConfirmCode(StatusOfRefusals, base.ReauthenticateView):
    pass


class ConfirmPasskey(StatusOfRefusals, webauthn.ReauthenticateWebAuthnView):
    def form_invalid(self, form: Any) -> HttpResponse:  # noqa: ARG002
        record_wrong_passkey(actor(self.request))
        messages.error(self.request, "This passkey was not accepted.")
        return redirect(self.request.get_full_path())


class Security(base.IndexView):
    """The person's password, second factors, passkeys, and their account at the provider."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        user = actor(self.request)
        return super().get_context_data(**kwargs) | {
            "has_password": user.has_usable_password(),
            "passkeys_work": passkeys_work(self.request),
            "must_add": needs_second_factor(self.request),
            "provider": provider_name(),
            "linked": linked_accounts(user).first(),
        }


@method_decorator(sensitive_post_parameters(), name="dispatch")
class ActivateApp(StatusOfRefusals, totp.ActivateTOTPView):
    @transaction.atomic
    def form_valid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_valid(form)
        app = Authenticator.objects.get(user=actor(self.request), type=Authenticator.Type.TOTP)
        app.data[LAST_COUNTER] = form.counter
        app.save(update_fields=["data"])
        return response


class RemoveApp(StoredWithItsEvent, totp.DeactivateTOTPView):
    pass


class AddPasskey(StatusOfRefusals, StoredWithItsEvent, webauthn.AddWebAuthnView):
    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not passkeys_work(request):
            raise PermissionDenied(NO_PASSKEYS_HERE)
        return super().dispatch(request, *args, **kwargs)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data() | kwargs  # allauth's would drop the form with its errors


class RenamePasskey(StatusOfRefusals, webauthn.EditWebAuthnView):
    @transaction.atomic
    def form_valid(self, form: Any) -> HttpResponse:
        before = form.instance.wrap().name
        response: HttpResponse = super().form_valid(form)
        name = {"name": form.instance.wrap().name}
        audit.record_change(
            "factor.rename", "person", actor(self.request).username, {"name": before}, name
        )
        return response


class RemovePasskey(StoredWithItsEvent, webauthn.RemoveWebAuthnView):
    pass


class SignInWithPasskey(webauthn.LoginWebAuthnView):
    """Sign in with a passkey alone. A GET returns what the browser needs for that, as JSON."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        limit_sign_in_starts(request)
        limit_visitors_session(request)
        return super().dispatch(request, *args, **kwargs)

    def form_invalid(self, form: Any) -> HttpResponse:  # noqa: ARG002
        record_wrong_passkey()
        messages.error(self.request, "This passkey was not accepted. Sign in another way.")
        return redirect("accounts:sign_in")


def with_password(view: View) -> View:
    """Refuse people without a password: there is no first factor to add a second one to."""

    @login_required
    def check_and_call(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not actor(request).has_usable_password():
            raise PermissionDenied("Second factors require a password. Set a password first.")
        return view(request, *args, **kwargs)

    return check_and_call


@login_required
@require_POST
def unlink(request: HttpRequest) -> HttpResponse:
    """End the link between the person's account and their account at the provider."""
    account = get_object_or_404(linked_accounts(actor(request)))
    if not did_recently_reauthenticate(request):
        raise ReauthenticationRequired
    try:
        validate_disconnect(request, account)
    except ValidationError:
        raise PermissionDenied(
            "Set a password first; otherwise you could no longer sign in."
        ) from None
    disconnect(request, account)
    return redirect("mfa_index")


security = never_cache(Security.as_view())
second_step = SecondStep.as_view()
confirm_password = never_cache(ConfirmPassword.as_view())
confirm_code = never_cache(ConfirmCode.as_view())
confirm_passkey = never_cache(ConfirmPasskey.as_view())
activate_app = with_password(never_cache(ActivateApp.as_view()))
remove_app = RemoveApp.as_view()
add_passkey = with_password(never_cache(AddPasskey.as_view()))
rename_passkey = RenamePasskey.as_view()
remove_passkey = RemovePasskey.as_view()
sign_in_with_passkey = never_cache(SignInWithPasskey.as_view())
show_recovery_codes = never_cache(recovery_codes.view_recovery_codes)
new_recovery_codes = recovery_codes.generate_recovery_codes
