"""Who may see the site, and how people sign in: link, password, second factor, OpenID Connect."""

from typing import Literal

from django.core.exceptions import ImproperlyConfigured

from config import env

AUTH_USER_MODEL = "accounts.User"
ANONYMOUS_BROWSING: bool = env.read(
    "TOOLSHELF_ANONYMOUS_BROWSING",
    bool,
    True,
    "`0`: people and programs see nothing of the catalog until they sign in.",
)
DEFAULT_GROUPS: list[str] = env.read(
    "TOOLSHELF_DEFAULT_GROUPS",
    env.words(Literal["reader", "runner", "publisher", "administrator"]),
    "publisher runner",
    "The built-in groups whose rights people get if they are in none of them: `reader`, `runner`, "
    "`publisher`, `administrator`.",
)
SECOND_FACTOR_ROLES: list[str] = env.read(
    "TOOLSHELF_SECOND_FACTOR",
    env.words(Literal["reader", "runner", "publisher", "administrator", "all"]),
    "",
    "The roles whose people must set up a second factor before they can do anything else: "
    "`administrator`, `publisher`, `runner`, `reader`, or `all`.",
)
LOGIN_URL = "accounts:sign_in"
LOGIN_REDIRECT_URL = "playground:home"
LOGOUT_REDIRECT_URL = "playground:home"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "accounts.tokens.EndsTokens"},  # Django calls it after each change
]

# One-time links and passwords are the site's own; second factors, passkeys and OIDC are
# django-allauth's, through adapters that share the sessions and the throttling of sign-ins. Nobody
# signs up, and the site sends no e-mail.
ACCOUNT_ADAPTER = "accounts.adapters.AccountAdapter"
SOCIALACCOUNT_ADAPTER = "accounts.oidc.adapter.ProviderAccountAdapter"
MFA_ADAPTER = "accounts.adapters.SecondFactorAdapter"
ACCOUNT_EMAIL_VERIFICATION = SOCIALACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = [
    "username*",
    "password1*",
]  # has no effect without sign-up; allauth's checks read it
ACCOUNT_UNIQUE_EMAIL = False
ACCOUNT_RATE_LIMITS = MFA_RATE_LIMITS = False  # accounts/throttling.py has those, for all processes
ACCOUNT_FORMS = {"reauthenticate": "accounts.second_factors.forms.ConfirmPasswordForm"}
MFA_FORMS = {
    "authenticate": "accounts.second_factors.forms.CodeForm",
    "reauthenticate": "accounts.second_factors.forms.ConfirmCodeForm",
    "activate_totp": "accounts.second_factors.forms.ActivateAppForm",
    "add_webauthn": "accounts.second_factors.passkey_forms.AddForm",
    "authenticate_webauthn": "accounts.second_factors.passkey_forms.SecondStepForm",
    "login_webauthn": "accounts.second_factors.passkey_forms.SignInForm",
    "reauthenticate_webauthn": "accounts.second_factors.passkey_forms.ConfirmForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_TOTP_ISSUER = "Toolshelf"
MFA_TOTP_TOLERANCE = 1  # period of 30 s before and after: clocks of phones drift
SOCIALACCOUNT_REQUESTS_TIMEOUT = 10

OIDC_ISSUER: str = env.read(
    "TOOLSHELF_OIDC_ISSUER",
    env.ISSUER,
    "",
    "The issuer of an OpenID Connect provider with which people sign in (docs/sign-in.md).",
)
OIDC_CLIENT_ID: str = env.read(
    "TOOLSHELF_OIDC_CLIENT_ID", str, "", "The client id of the site at the provider."
)
OIDC_CLIENT_SECRET: str = env.read(
    "TOOLSHELF_OIDC_CLIENT_SECRET", str, "", "The client's secret; empty for a public client."
)
OIDC_NAME: str = env.read(
    "TOOLSHELF_OIDC_NAME", str, "single sign-on", "The provider's name: `Sign in with <name>`."
)
OIDC_SCOPES: list[str] = env.read(
    "TOOLSHELF_OIDC_SCOPES",
    env.words(),
    "openid profile email",
    "The scopes that are requested; `openid` is needed.",
)
OIDC_GROUPS_CLAIM: str = env.read(
    "TOOLSHELF_OIDC_GROUPS_CLAIM",
    str,
    "groups",
    "The claim with a person's groups at the provider; `a.b` is member `b` of the claim `a`.",
)
OIDC_GROUPS: dict[str, list[str]] = env.read(
    "TOOLSHELF_OIDC_GROUPS",
    env.GROUPS,
    "",
    "Groups of the provider and the groups of the site that their members get, as JSON: "
    '`{"toolshelf-admins": "administrator", "developers": ["publisher", "runner"]}`.',
)
OIDC_PEOPLE: str = env.read(
    "TOOLSHELF_OIDC_PEOPLE",
    Literal["any", "mapped"],
    "mapped",
    "Who may sign in with the provider: people with a group in `TOOLSHELF_OIDC_GROUPS`, or "
    "everyone there.",
)
if OIDC_ISSUER and not OIDC_CLIENT_ID:
    raise ImproperlyConfigured(
        "TOOLSHELF_OIDC_ISSUER is set, so TOOLSHELF_OIDC_CLIENT_ID is needed."
    )
if OIDC_ISSUER and "openid" not in OIDC_SCOPES:
    raise ImproperlyConfigured(
        "TOOLSHELF_OIDC_SCOPES has no 'openid', without which no provider identifies people."
    )
if OIDC_ISSUER and OIDC_PEOPLE == "mapped" and not OIDC_GROUPS:
    raise ImproperlyConfigured(
        "TOOLSHELF_OIDC_GROUPS is empty, so nobody could sign in with the provider. Map its "
        "groups, or let in everyone with an account there: TOOLSHELF_OIDC_PEOPLE=any."
    )
