"""All settings of Toolshelf. Settings that differ by machine come from the environment, which is read only here."""

from pathlib import Path
from wsgiref.headers import Headers

import allauth
import django
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from catalog.accounts.site_url import is_loopback
from catalog.db.append_only import MIN_AGE_DAYS
from config import env
from config.start_faults import emptied_database
from playground.builtin import FACTORIES
from playground.worker.network import NETWORKS, Network

BASE_DIR = Path(__file__).resolve().parent.parent

# -- data -------------------------------------------------------------------------------------------------------------

DATA_DIR = Path(
    env.text(
        "TOOLSHELF_DATA_DIR",
        str(BASE_DIR / "var"),
        meaning="The folder for the database, generated keys and collected static files.",
        shown="`var`",
    )
).resolve()
DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
DATABASES = {
    "default": env.database(
        "DATABASE_URL",
        DATA_DIR / "toolshelf.sqlite3",
        meaning="`sqlite:////absolute/path` or `postgresql://user:password@host:port/name`.",
        shown="SQLite in the data directory",
    )
}
if fault := emptied_database(DATABASES["default"]["NAME"], DATA_DIR):
    raise ImproperlyConfigured(fault)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# -- security ---------------------------------------------------------------------------------------------------------

DEBUG = env.flag("DEBUG", default=False, meaning="Tracebacks in the browser, for development only.")
SECRET_KEY = env.text(
    "SECRET_KEY", "", meaning="Signs cookies. All web servers and workers of a site need the same.", shown="generated"
) or env.generated_key(DATA_DIR / "secret_key")
# Saved configurations are encrypted with the first key; the other keys can still decrypt older ones.
CONFIGURATION_KEYS = env.words(
    "TOOLSHELF_CONFIGURATION_KEYS",
    meaning="Keys that encrypt all stored secrets: the first encrypts, the others still decrypt.",
    shown="generated",
) or [env.generated_key(DATA_DIR / "configuration_key")]
ALLOWED_HOSTS = env.words(
    "ALLOWED_HOSTS", "localhost 127.0.0.1 [::1]", meaning="The exact host names of the site; no wildcard."
)
if "*" in ALLOWED_HOSTS:
    raise ImproperlyConfigured("ALLOWED_HOSTS is '*'; use the exact host names of the site.")
# Sources and the tools that run through them may connect to public addresses and to these networks. A site that is
# served on the loopback interface only may also connect to it; `serve` with another host sets this to False.
ALLOWED_NETWORKS = env.networks(
    "TOOLSHELF_ALLOWED_NETWORKS",
    meaning="Networks that sources and their tools may reach besides public addresses: `10.0.0.0/8 fd00::/8`.",
)
LOOPBACK_ONLY = env.flag(
    "TOOLSHELF_LOOPBACK_ONLY",
    default=all(map(is_loopback, ALLOWED_HOSTS)),
    meaning="`1` also lets sources reach this machine itself.",
    shown="`1` if `ALLOWED_HOSTS` and `--host` are this machine",
)
OUTGOING_PROXY = env.proxy(
    "TOOLSHELF_OUTGOING_PROXY",
    meaning=(
        "HTTP proxy for sources and their tools, `http://[user:password@]host:port`; `HTTP_PROXY`, "
        "`HTTPS_PROXY` and `NO_PROXY` are ignored."
    ),
)
CSRF_TRUSTED_ORIGINS = env.words(
    "CSRF_TRUSTED_ORIGINS", meaning="Origins besides the site's own whose pages may send changes."
)
# Under HTTPS (behind a proxy that terminates TLS) cookies are Secure, HTTP is redirected and HSTS is sent.
HTTPS = env.flag(
    "TOOLSHELF_HTTPS", default=False, meaning="`1` behind a proxy that terminates TLS: secure cookies, redirect, HSTS."
)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
# Set this behind a proxy that sets X-Forwarded-Proto and -For itself; otherwise these headers are ignored.
TRUST_PROXY = env.flag(
    "TRUST_PROXY", default=False, meaning="`1` trusts the proxy's `X-Forwarded-Proto` and `X-Forwarded-For`."
)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if TRUST_PROXY else None
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
# Scrapers of /metrics send this token. Programs on the same machine need it, too, unless METRICS_LOCAL is set: tools
# run there, and can reach the site over loopback.
METRICS_TOKEN = env.token(
    "TOOLSHELF_METRICS_TOKEN", meaning="The token with which scrapers read `/metrics`, at least 16 characters."
)
METRICS_LOCAL = env.flag(
    "TOOLSHELF_METRICS_LOCAL",
    default=False,
    meaning="`1`: programs on the same machine read `/metrics` without a token.",
)
# Two sites on two ports of one host share cookies unless their names differ. Under HTTPS the prefix makes browsers
# refuse such a cookie from other hosts of the domain (RFC 6265bis, "The __Host- prefix").
COOKIE_SUFFIX = env.text(
    "TOOLSHELF_COOKIE_SUFFIX",
    "",
    meaning="Added to the names of cookies: two sites on two ports of one host need different ones.",
)
COOKIE_PREFIX = "__Host-toolshelf" if HTTPS else "toolshelf"
SESSION_COOKIE_NAME = f"{COOKIE_PREFIX}_session{COOKIE_SUFFIX}"
CSRF_COOKIE_NAME = f"{COOKIE_PREFIX}_csrf{COOKIE_SUFFIX}"
NEXT_COOKIE_NAME = f"{COOKIE_PREFIX}_next{COOKIE_SUFFIX}"  # the page to go to after signing in by a link
BROWSER_COOKIE_NAME = f"{COOKIE_PREFIX}_browser{COOKIE_SUFFIX}"  # the accounts that this browser has signed in to
SESSION_ENGINE = "catalog.accounts.session_store"
SESSION_IDLE_HOURS = env.number(
    "TOOLSHELF_SESSION_IDLE_HOURS",
    72,
    minimum=1,
    meaning="A browser session ends when it has not been used for this time, and after 14 days in any case.",
)  # then an unused session ends
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
CROSS_ORIGIN_RESOURCE_POLICY = "same-origin"
# No page uses these features, so an injected script must not either. Only names that browsers know: others are errors
# in their consoles.
PERMISSIONS_POLICY = ", ".join(
    f"{feature}=()"
    for feature in (
        "accelerometer", "browsing-topics", "camera", "display-capture", "geolocation", "gyroscope", "hid",
        "magnetometer", "microphone", "midi", "payment", "serial", "usb", "xr-spatial-tracking",
    )
)  # fmt: skip
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "media-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
SILENCED_SYSTEM_CHECKS: list[str] = []
if not HTTPS:
    # A local site is plain HTTP on the loopback interface: HSTS (W004), redirect (W008) and Secure cookies (W012, W016)
    # would make it unreachable. `check --deploy` in the tests runs with TOOLSHELF_HTTPS=1, where nothing is silenced.
    SILENCED_SYSTEM_CHECKS = ["security.W004", "security.W008", "security.W012", "security.W016"]

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
LOGIN_URL = "accounts:sign_in"
LOGIN_REDIRECT_URL = "catalog:home"
LOGOUT_REDIRECT_URL = "catalog:home"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# One-time links and passwords are the site's own; second factors, passkeys and OIDC are django-allauth's, through
# adapters that share the sessions and the throttling of sign-ins. Nobody signs up, and the site sends no e-mail.
ACCOUNT_ADAPTER = "catalog.accounts.adapters.AccountAdapter"
SOCIALACCOUNT_ADAPTER = "catalog.accounts.oidc.adapter.ProviderAccountAdapter"
MFA_ADAPTER = "catalog.accounts.adapters.SecondFactorAdapter"
ACCOUNT_EMAIL_VERIFICATION = SOCIALACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*"]  # has no effect without sign-up; allauth's checks read it
ACCOUNT_UNIQUE_EMAIL = False
ACCOUNT_RATE_LIMITS = MFA_RATE_LIMITS = False  # catalog/accounts/throttling.py has those, for all processes
ACCOUNT_FORMS = {"reauthenticate": "catalog.accounts.second_factors.forms.ConfirmPasswordForm"}
MFA_FORMS = {
    "authenticate": "catalog.accounts.second_factors.forms.CodeForm",
    "reauthenticate": "catalog.accounts.second_factors.forms.ConfirmCodeForm",
    "activate_totp": "catalog.accounts.second_factors.forms.ActivateAppForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_TOTP_ISSUER = "Toolshelf"
MFA_TOTP_TOLERANCE = 1  # period of 30 s before and after: clocks of phones drift
SOCIALACCOUNT_REQUESTS_TIMEOUT = 10

# -- OpenID Connect ---------------------------------------------------------------------------------------------------

OIDC_ISSUER = env.issuer(
    "TOOLSHELF_OIDC_ISSUER",
    meaning="The issuer of an OpenID Connect provider with which people sign in (docs/sign-in.md).",
)
OIDC_CLIENT_ID = env.text("TOOLSHELF_OIDC_CLIENT_ID", "", meaning="The client id of the site at the provider.")
OIDC_CLIENT_SECRET = env.text(
    "TOOLSHELF_OIDC_CLIENT_SECRET", "", meaning="The client's secret; empty for a public client."
)
OIDC_NAME = env.text("TOOLSHELF_OIDC_NAME", "single sign-on", meaning="The provider's name: `Sign in with <name>`.")
OIDC_SCOPES = env.words(
    "TOOLSHELF_OIDC_SCOPES", "openid profile email", meaning="The scopes that are requested; `openid` is needed."
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
    raise ImproperlyConfigured("TOOLSHELF_OIDC_ISSUER is set, so TOOLSHELF_OIDC_CLIENT_ID is needed.")
if OIDC_ISSUER and "openid" not in OIDC_SCOPES:
    raise ImproperlyConfigured("TOOLSHELF_OIDC_SCOPES has no 'openid', without which no provider identifies people.")
if OIDC_ISSUER and OIDC_PEOPLE == "mapped" and not OIDC_GROUPS:
    raise ImproperlyConfigured(
        "TOOLSHELF_OIDC_GROUPS is empty, so nobody could sign in with the provider. Map its groups, or let in everyone "
        "with an account there: TOOLSHELF_OIDC_PEOPLE=any."
    )

# -- apps, middleware, templates --------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "config.apps.ToolshelfAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "csp",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "catalog.accounts",
    "catalog",
    "playground",
    "config.apps.ConfigConfig",
]
MIDDLEWARE = [
    "config.middleware.hidden_secrets.HideSecretsMiddleware",  # must be first: anything before it could log a secret
    "config.middleware.request_context.RequestContextMiddleware",
    "config.middleware.request_metrics.RequestMetricsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.middleware.response_headers.BrowserPoliciesMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.middleware.response_headers.CacheControlMiddleware",
    "config.middleware.compression.CompressionMiddleware",
    "config.middleware.response_headers.StylesheetHintsMiddleware",
    "config.middleware.error_responses.ErrorResponsesMiddleware",
    "config.middleware.request_limits.RequestLimitsMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "config.middleware.access.CrossSiteGuardMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "config.middleware.access.BrowsingMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATE_LOADERS = [
    "django.template.loaders.filesystem.Loader",
    "django.template.loaders.app_directories.Loader",  # for the admin
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "loaders": [
                ("django.template.loaders.cached.Loader", TEMPLATE_LOADERS),
            ],
        },
    }
]
if DEBUG:
    TEMPLATES[0]["OPTIONS"]["loaders"] = TEMPLATE_LOADERS  # type: ignore[index]
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
CSRF_FAILURE_VIEW = "config.error_pages.csrf_failure"

STATIC_URL = "/static/"
# Ours, the admin's and the scripts for passkeys, but no other package's: some bring demo pages.
STATICFILES_DIRS = [
    BASE_DIR / "static",
    ("admin", Path(django.__file__).parent / "contrib" / "admin" / "static" / "admin"),
    ("mfa", Path(allauth.__file__).parent / "mfa" / "static" / "mfa"),
]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "config.static_files.JoinedFilesFinder",
]
STATIC_ROOT = DATA_DIR / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},  # nothing is uploaded to a file
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}


def add_static_headers(headers: Headers, path: str, url: str) -> None:  # noqa: ARG001 - WhiteNoise passes them
    """Add the policy for a static file that is opened as a page: it loads nothing."""
    headers["Content-Security-Policy"] = "default-src 'none'; frame-ancestors 'none'"


WHITENOISE_MAX_AGE = 3600
WHITENOISE_ALLOW_ALL_ORIGINS = False  # only pages of this site use them
WHITENOISE_ADD_HEADERS_FUNCTION = add_static_headers
WHITENOISE_KEEP_ONLY_HASHED_FILES = True

# -- limits -----------------------------------------------------------------------------------------------------------

MAX_SPEC_BYTES = env.number("TOOLSHELF_MAX_SPEC_BYTES", 256 * 1024, minimum=1024, meaning="The maximum size of a spec.")
MAX_UPLOAD_BYTES = env.number(
    "TOOLSHELF_MAX_UPLOAD_BYTES", 64 * 1024 * 1024, minimum=1024, meaning="The maximum size of a request."
)
# A form is at most one value of 1 MiB; uploads are streamed to a file and bounded by MAX_UPLOAD_BYTES.
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 4000
DATA_UPLOAD_MAX_NUMBER_FILES = 2000
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
# A client that reads a response at less than 16 KiB/s for this long is disconnected. Unread responses occupy memory: at
# most this many bytes, for all large responses of one process together.
WRITE_TIMEOUT_S = env.number(
    "TOOLSHELF_WRITE_TIMEOUT_S",
    30,
    minimum=1,
    meaning="A client that reads a response at less than 16 KiB/s for this many seconds is disconnected.",
)
UNREAD_RESPONSE_BYTES = env.number(
    "TOOLSHELF_UNREAD_RESPONSE_BYTES",
    64 * 1024 * 1024,
    minimum=1024 * 1024,
    meaning=(
        "Per process: the limit for large responses that clients have not read yet; above it, further large responses "
        "are refused with 503."
    ),
)
# How often one token, person and address may call the API, upload, and start runs.
API_RATE = env.rate("TOOLSHELF_API_RATE", "12000/min", meaning="API requests of one person; `off` for no limit.")
API_ANONYMOUS_RATE = env.rate(
    "TOOLSHELF_API_ANONYMOUS_RATE",
    "6000/min",
    meaning="API requests of one address without a token; `off` for no limit.",
)
API_TOKEN_RATE = env.rate(
    "TOOLSHELF_API_TOKEN_RATE", "12000/min", meaning="API requests with one token; `off` for no limit."
)
API_ADDRESS_RATE = env.rate(
    "TOOLSHELF_API_ADDRESS_RATE",
    "60000/min",
    meaning="API requests of one address, with all its tokens and without; `off` for no limit.",
)
UPLOAD_RATE = env.rate(
    "TOOLSHELF_UPLOAD_RATE",
    "6000/10min",
    meaning="Uploads of one person, through pages and the API; `off` for no limit.",
)
RUN_RATE = env.rate(
    "TOOLSHELF_RUN_RATE",
    "12000/10min",
    meaning="Runs that one person starts, through pages and the API; `off` for no limit.",
)

# -- runs -------------------------------------------------------------------------------------------------------------

TOOL_FACTORIES = [
    *FACTORIES,
    *env.words("TOOL_FACTORIES", meaning="Dotted paths of factories, in addition to those of installed packages."),
]
# Environment variables of tools, {name there: name here}: for every tool, and for single factories by their ids
# (`playground/factories/factory_settings.py`). Their values are secrets, except those in TOOL_PUBLIC_ENVIRONMENT.
TOOL_ENVIRONMENT = env.variables(
    "TOOL_ENVIRONMENT",
    meaning="Environment variables that every tool sees: `NAME`, or `NAME_IN_THE_TOOL=NAME`. "
    "Their values are removed from responses and logs.",
)
TOOL_ENVIRONMENT_BY_FACTORY = {
    factory_id: env.variables(name)
    for factory_id, name in env.by_factory(
        "TOOL_ENVIRONMENT", meaning="Variables that one factory sees; `<ID>` is its id in `A-Z`, `0-9` and `_`."
    ).items()
}
TOOL_PUBLIC_ENVIRONMENT = env.words(
    "TOOL_PUBLIC_ENVIRONMENT",
    meaning="Variables of tools whose values are not secret, and not removed from responses and logs.",
)
TOOL_NETWORK: Network = env.choice(
    "TOOL_NETWORK",
    "all",
    NETWORKS,
    meaning="The network that tools can reach; `outward`: public addresses, through a proxy.",
)
TOOL_NETWORK_BY_FACTORY: dict[str, Network] = {
    factory_id: env.choice(name, "all", NETWORKS)
    for factory_id, name in env.by_factory(
        "TOOL_NETWORK", meaning="The network that one factory reaches; `<ID>` as above."
    ).items()
}
RUNNER = env.choice(
    "TOOLSHELF_RUNNER",
    "local",
    {"local", "celery"},
    meaning="Where tools run: in processes of this machine, or on Celery's workers.",
)
CELERY_BROKER_URL = env.broker(
    "CELERY_BROKER_URL",
    is_used=RUNNER == "celery",
    meaning="The Redis server for Celery: `redis://[user:password@]host[:port][/number]`, `rediss://…` or `redis+socket://…`.",
)
# Counts requests for the limits above, so that several web servers share them.
REDIS_URL = (
    env.redis(
        "TOOLSHELF_REDIS",
        meaning="The Redis server that web servers share for rate limits, in the form of `CELERY_BROKER_URL`.",
        shown="`CELERY_BROKER_URL`",
    )
    or CELERY_BROKER_URL
)
WEB_PROCESSES = env.number("TOOLSHELF_WEB_PROCESSES", 2, minimum=1, meaning="Processes of the web server.")
WEB_THREADS = env.number("TOOLSHELF_WEB_THREADS", 16, minimum=2, meaning="Threads of each process.")
RUN_SLOTS = env.number(
    "TOOLSHELF_RUN_SLOTS", 16, minimum=1, meaning="Concurrent runs of all processes of a server, or of a Celery worker."
)  # concurrent runs of all processes of a server, or of a worker
RUN_QUEUE_MAX = env.number(
    "TOOLSHELF_RUN_QUEUE_MAX",
    1000,
    minimum=0,
    meaning="The maximum number of waiting runs; further ones are refused with 429.",
)
RUN_QUEUE_WAIT_S = env.number(
    "TOOLSHELF_RUN_QUEUE_WAIT_S",
    3600,
    minimum=1,
    meaning="With Celery: a run that no worker claims within this many seconds ends as `crashed`.",
)  # Celery: until a worker claims a run
WARM_FACTORIES = env.number(
    "TOOLSHELF_WARM_FACTORIES",
    32,
    meaning="How many factories, besides the built-in ones, each process imports in the background after it "
    "starts; 0: each is imported at its first run.",
)
DRAIN_S = env.number(
    "TOOLSHELF_DRAIN_S",
    25,
    meaning="After SIGTERM, active runs have this many seconds to finish; 0: they are stopped immediately.",
)
RUN_TIMEOUT_S = env.number(
    "TOOLSHELF_RUN_TIMEOUT_S", 30, minimum=1, meaning="The time limit of a run, in seconds, if its caller sets none."
)
RUN_TIMEOUT_MAX_S = env.number(
    "TOOLSHELF_RUN_TIMEOUT_MAX_S", 300, minimum=1, meaning="The maximum time limit that a caller can set."
)
RUN_MEMORY_BYTES = env.number(
    "TOOLSHELF_RUN_MEMORY_BYTES", 1024 * 1024 * 1024, minimum=64 * 1024 * 1024, meaning="The memory limit of a run."
)
RUN_RESPONSE_BYTES = env.number(
    "TOOLSHELF_RUN_RESPONSE_BYTES",
    1024 * 1024,
    minimum=1024,
    meaning="The maximum size of a run's response; a larger one is stored as a file, and its beginning in the run.",
)
RUN_FILE_BYTES = env.number(
    "TOOLSHELF_RUN_FILE_BYTES",
    16 * 1024 * 1024,
    minimum=1024,
    meaning="The maximum size of the files of a run's response together, and of a long response that is stored as one.",
)
RUN_OUTPUT_BYTES = env.number(
    "TOOLSHELF_RUN_OUTPUT_BYTES",
    64 * 1024,
    minimum=1024,
    meaning="How much of each of a run's output streams is stored.",
)
RUN_PARAMETERS_BYTES = env.number(
    "TOOLSHELF_RUN_PARAMETERS_BYTES", 1024 * 1024, minimum=1024, meaning="The maximum size of a run's parameters."
)
RUN_RETENTION_DAYS = env.number(
    "TOOLSHELF_RUN_RETENTION_DAYS", 365, meaning="Days after which runs are deleted; 0: never."
)  # 0: forever

AUDIT_RETENTION_DAYS = env.number(
    "TOOLSHELF_AUDIT_RETENTION_DAYS",
    365,
    meaning=f"Days after which events of the audit log are deleted: at least {MIN_AGE_DAYS}, or 0: never.",
)  # 0: forever
if 0 < AUDIT_RETENTION_DAYS < MIN_AGE_DAYS:
    raise ImproperlyConfigured(
        f"TOOLSHELF_AUDIT_RETENTION_DAYS is {AUDIT_RETENTION_DAYS}; use at least {MIN_AGE_DAYS}, or 0 for never."
    )

# -- logs -------------------------------------------------------------------------------------------------------------

DEFAULT_EXCEPTION_REPORTER_FILTER = "config.error_pages.AlwaysHiding"
LOG_FORMAT = env.choice(
    "TOOLSHELF_LOG_FORMAT",
    "text",
    {"text", "json"},
    meaning="Lines of text, or one JSON object per line, with request and run ids.",
)
LOG_REQUESTS = env.flag(
    "TOOLSHELF_LOG_REQUESTS",
    default=LOG_FORMAT == "json",
    meaning="`1` logs each request, with its status and duration.",
    shown="`1` with the JSON log",
)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"()": "config.log_filters.OneLine", "format": "%(asctime)s %(levelname)s %(name)s %(message)s"},
        "json": {"()": "config.log_filters.JsonLine"},
    },
    "filters": {
        "brief": {"()": "config.log_filters.QuietAboutUnknownHosts"},
        "secrets": {"()": "config.log_filters.WithoutSecrets"},
    },
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["brief", "secrets"]}
    },
    "root": {
        "handlers": ["stderr"],
        "level": env.choice(
            "LOG_LEVEL",
            "WARNING",
            {"DEBUG", "INFO", "WARNING", "ERROR"},
            meaning="What is logged to standard error. Tracebacks are shortened to a few KB: beginning and end.",
        ),
    },
    "loggers": {
        "django": {"handlers": [], "level": "WARNING", "propagate": True},
        "toolshelf.requests": {"level": "INFO" if LOG_REQUESTS else "ERROR"},
        # they log each request with its whole address, which may contain a secret
        "httpx2": {"level": "WARNING"},
        "httpcore2": {"level": "WARNING"},
        "django.server": {"handlers": ["stderr"], "level": "INFO", "propagate": False},  # manage.py runserver
    },
}
