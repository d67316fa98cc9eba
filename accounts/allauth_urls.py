"""The URLs of allauth that this site has, under the names by which allauth's code finds them.

It has neither sign-up nor e-mail, so none of their pages.
"""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.urls import path
from django.views.generic import RedirectView

from accounts import views
from accounts.lazy_views import lazy_view

FACTORS = "accounts.second_factors.views"
OIDC = "accounts.oidc.views"

urlpatterns = [
    path("sign-in/", views.SignIn.as_view(), name="account_login"),
    path(
        "second-step/",
        login_not_required(lazy_view(f"{FACTORS}.second_step")),
        name="mfa_authenticate",
    ),
    path(
        "passkey/",
        login_not_required(lazy_view(f"{FACTORS}.sign_in_with_passkey")),
        name="mfa_login_webauthn",
    ),
    path("oidc/", login_not_required(lazy_view(f"{OIDC}.start")), name="oidc_start"),
    path("oidc/callback/", login_not_required(lazy_view(f"{OIDC}.callback")), name="oidc_callback"),
    path("account/security/", lazy_view(f"{FACTORS}.security"), name="mfa_index"),
    path(
        "account/security/confirm/",
        lazy_view(f"{FACTORS}.confirm_password"),
        name="account_reauthenticate",
    ),
    path(
        "account/security/confirm/code/",
        lazy_view(f"{FACTORS}.confirm_code"),
        name="mfa_reauthenticate",
    ),
    path(
        "account/security/confirm/passkey/",
        lazy_view(f"{FACTORS}.confirm_passkey"),
        name="mfa_reauthenticate_webauthn",
    ),
    path("account/security/app/", lazy_view(f"{FACTORS}.activate_app"), name="mfa_activate_totp"),
    path(
        "account/security/app/remove/",
        lazy_view(f"{FACTORS}.remove_app"),
        name="mfa_deactivate_totp",
    ),
    path(
        "account/security/recovery-codes/",
        lazy_view(f"{FACTORS}.show_recovery_codes"),
        name="mfa_view_recovery_codes",
    ),
    path(
        "account/security/recovery-codes/new/",
        lazy_view(f"{FACTORS}.new_recovery_codes"),
        name="mfa_generate_recovery_codes",
    ),
    path(
        "account/security/passkeys/",
        RedirectView.as_view(pattern_name="mfa_index"),
        name="mfa_list_webauthn",
    ),
    path(
        "account/security/passkeys/add/",
        lazy_view(f"{FACTORS}.add_passkey"),
        name="mfa_add_webauthn",
    ),
    path(
        "account/security/passkeys/<int:pk>/",
        lazy_view(f"{FACTORS}.rename_passkey"),
        name="mfa_edit_webauthn",
    ),
    path(
        "account/security/passkeys/<int:pk>/remove/",
        lazy_view(f"{FACTORS}.remove_passkey"),
        name="mfa_remove_webauthn",
    ),
    path("account/security/unlink/", lazy_view(f"{FACTORS}.unlink"), name="oidc_unlink"),
]
