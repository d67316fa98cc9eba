"""Who may see the site, and how people sign in: links, passwords, second factors, OpenID Connect."""

from django.core.exceptions import ImproperlyConfigured

from config import env

AUTH_USER_MODEL = "accounts.User"
ANONYMOUS_BROWSING = env.flag(
    "TOOLSHELF_ANONYMOUS_BROWSING",
    default=True,
    meaning="`0`: people and programs see nothing of the catalog until they sign in.",
)
DEFAULT_GROUPS = env.words_among(
    "TOOLSHELF_DEFAULT_GROUPS",
    "publisher runner",
    ("reader", "runner", "publisher", "administrator"),
    meaning=(
        "The built-in groups whose rights people get if they are in none of them: `reader`, `runner`, `publisher`, "
        "`administrator`."
    ),
)
SECOND_FACTOR_ROLES = env.words_among(
    "TOOLSHELF_SECOND_FACTOR",
    "",
    ("reader", "runner", "publisher", "administrator", "all"),
    meaning=(
        "The roles whose people must set up a second factor before they can do anything else: `administrator`, "
        "`publisher`, `runner`, `reader`, or `all`."
    ),
)
LOGIN_URL = "accounts:sign_in"
LOGIN_REDIRECT_URL = "catalog:home"
LOGOUT_REDIRECT_URL = "catalog:home"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "catalog.accounts.tokens.EndsTokens"},  # Django calls it after each change
]

# One-time links and passwords are the site's own; second factors, passkeys and OIDC are django-allauth's, through
# adapters that share the sessions and the throttling of sign-ins. Nobody signs up, and the site sends no e-mail.
ACCOUNT_ADAPTER = "catalog.accounts.adapters.AccountAdapter"
SOCIALACCOUNT_ADAPTER = "catalog.accounts.oidc.adapter.ProviderAccountAdapter"
MFA_ADAPTER = "catalog.accounts.adapters.SecondFactorAdapter"
ACCOUNT_EMAIL_VERIFICATION = SOCIALACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = [
    "username*",
    "password1*",
]  # has no effect without sign-up; allauth's checks read it
ACCOUNT_UNIQUE_EMAIL = False
ACCOUNT_RATE_LIMITS = MFA_RATE_LIMITS = (
    False  # catalog/accounts/throttling.py has those, for all processes
)
ACCOUNT_FORMS = {"reauthenticate": "catalog.accounts.second_factors.forms.ConfirmPasswordForm"}
MFA_FORMS = {
    "authenticate": "catalog.accounts.second_factors.forms.CodeForm",
    "reauthenticate": "catalog.accounts.second_factors.forms.ConfirmCodeForm",
    "activate_totp": "catalog.accounts.second_factors.forms.ActivateAppForm",
    "add_webauthn": "catalog.accounts.second_factors.passkey_forms.AddForm",
    "authenticate_webauthn": "catalog.accounts.second_factors.passkey_forms.SecondStepForm",
    "login_webauthn": "catalog.accounts.second_factors.passkey_forms.SignInForm",
    "reauthenticate_webauthn": "catalog.accounts.second_factors.passkey_forms.ConfirmForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_TOTP_ISSUER = "Toolshelf"
MFA_TOTP_TOLERANCE = 1  # period of 30 s before and after: clocks of phones drift
SOCIALACCOUNT_REQUESTS_TIMEOUT = 10

OIDC_ISSUER = env.issuer(
    "TOOLSHELF_OIDC_ISSUER",
    meaning="The issuer of an OpenID Connect provider with which people sign in (docs/sign-in.md).",
)
OIDC_CLIENT_ID = env.text(
    "TOOLSHELF_OIDC_CLIENT_ID", "", meaning="The client id of the site at the provider."
)
OIDC_CLIENT_SECRET = env.text(
    "TOOLSHELF_OIDC_CLIENT_SECRET", "", meaning="The client's secret; empty for a public client."
)
OIDC_NAME = env.text(
    "TOOLSHELF_OIDC_NAME", "single sign-on", meaning="The provider's name: `Sign in with <name>`."
)
OIDC_SCOPES = env.words(
    "TOOLSHELF_OIDC_SCOPES",
    "openid profile email",
    meaning="The scopes that are requested; `openid` is needed.",
)
OIDC_GROUPS_CLAIM = env.text(
    "TOOLSHELF_OIDC_GROUPS_CLAIM",
    "groups",
    meaning="The claim with a person's groups at the provider; `a.b` is member `b` of the claim `a`.",
)
OIDC_GROUPS = env.group_mapping(
    "TOOLSHELF_OIDC_GROUPS",
    meaning=(
        "Groups of the provider and the groups of the site that their members get, as JSON: "
        '`{"toolshelf-admins": "administrator", "developers": ["publisher", "runner"]}`.'
    ),
)
OIDC_PEOPLE = env.choice(
    "TOOLSHELF_OIDC_PEOPLE",
    "mapped",
    {"mapped", "any"},
    meaning="Who may sign in with the provider: people with a group in `TOOLSHELF_OIDC_GROUPS`, or everyone there.",
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
        "TOOLSHELF_OIDC_GROUPS is empty, so nobody could sign in with the provider. Map its groups, or let in everyone "
        "with an account there: TOOLSHELF_OIDC_PEOPLE=any."
    )
