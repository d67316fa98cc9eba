"""All settings of Toolshelf. Settings that differ by machine come from the environment, which is read only here."""

from pathlib import Path

import django
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from config import env
from config.key_files import generated_key
from playground.builtin import FACTORIES

BASE_DIR = Path(__file__).resolve().parent.parent

# -- data -------------------------------------------------------------------------------------------------------------

DATA_DIR = Path(env.text("TOOLSHELF_DATA_DIR", str(BASE_DIR / "var"))).resolve()
DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
DATABASES = {"default": env.database("DATABASE_URL", DATA_DIR / "toolshelf.sqlite3")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# -- security ---------------------------------------------------------------------------------------------------------

DEBUG = env.flag("DEBUG", default=False)
SECRET_KEY = env.text("SECRET_KEY", "") or generated_key(DATA_DIR / "secret_key")
# Saved configurations are encrypted with the first key; the other keys can still decrypt older ones.
CONFIGURATION_KEYS = env.words("TOOLSHELF_CONFIGURATION_KEYS") or [generated_key(DATA_DIR / "configuration_key")]
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", "localhost 127.0.0.1 [::1]")
if "*" in ALLOWED_HOSTS:
    raise ImproperlyConfigured("ALLOWED_HOSTS is '*'; it takes the exact host names that the site is reached by.")
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS")
# Under HTTPS (behind a proxy that ends TLS) cookies are Secure, HTTP is redirected and HSTS is sent.
HTTPS = env.flag("TOOLSHELF_HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
# Set this behind a proxy that sets X-Forwarded-Proto and -For itself; otherwise these headers are ignored.
TRUST_PROXY = env.flag("TRUST_PROXY", default=False)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if TRUST_PROXY else None
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
# Two sites on two ports of one host share cookies unless their names differ.
COOKIE_SUFFIX = env.text("TOOLSHELF_COOKIE_SUFFIX", "")
SESSION_COOKIE_NAME = f"toolshelf_session{COOKIE_SUFFIX}"
CSRF_COOKIE_NAME = f"toolshelf_csrf{COOKIE_SUFFIX}"
NEXT_COOKIE_NAME = f"toolshelf_next{COOKIE_SUFFIX}"  # the page to go to after signing in by a link
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
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
LOGIN_URL = "accounts:sign_in"
LOGIN_REDIRECT_URL = "catalog:tool_list"
LOGOUT_REDIRECT_URL = "catalog:tool_list"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

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
    "catalog.accounts",
    "catalog",
    "playground",
    "config.apps.ConfigConfig",
]
MIDDLEWARE = [
    "config.middleware.HideSecretsMiddleware",  # must be first: anything before it could log a secret
    "config.metrics.RequestMetricsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.middleware.CacheControlMiddleware",
    "config.middleware.ErrorResponsesMiddleware",
    "config.middleware.RequestLimitsMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "config.middleware.CrossSiteGuardMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
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
# Ours and the admin's, but no other package's: some bring demo pages.
STATICFILES_DIRS = [
    BASE_DIR / "static",
    ("admin", Path(django.__file__).parent / "contrib" / "admin" / "static" / "admin"),
]
STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
STATIC_ROOT = DATA_DIR / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},  # nothing is uploaded to a file
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
WHITENOISE_MAX_AGE = 3600
WHITENOISE_KEEP_ONLY_HASHED_FILES = True

# -- limits -----------------------------------------------------------------------------------------------------------

MAX_SPEC_BYTES = env.number("TOOLSHELF_MAX_SPEC_BYTES", 256 * 1024, minimum=1024)
MAX_UPLOAD_BYTES = env.number("TOOLSHELF_MAX_UPLOAD_BYTES", 64 * 1024 * 1024, minimum=1024)
# A form is at most one value of 1 MiB; uploads are streamed to a file and bounded by MAX_UPLOAD_BYTES.
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 4000
DATA_UPLOAD_MAX_NUMBER_FILES = 2000
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
# A client that reads a response at less than 16 KiB/s for this long is disconnected. Unread responses occupy memory: at
# most this many bytes, for all large responses of one process together.
WRITE_TIMEOUT_S = env.number("TOOLSHELF_WRITE_TIMEOUT_S", 30, minimum=1)
UNREAD_RESPONSE_BYTES = env.number("TOOLSHELF_UNREAD_RESPONSE_BYTES", 64 * 1024 * 1024, minimum=1024 * 1024)

# -- runs -------------------------------------------------------------------------------------------------------------

TOOL_FACTORIES = [*FACTORIES, *env.words("TOOL_FACTORIES")]
TOOL_ENVIRONMENT = env.words("TOOL_ENVIRONMENT")
RUNNER = env.choice("TOOLSHELF_RUNNER", "local", {"local", "celery"})
CELERY_BROKER_URL = env.broker("CELERY_BROKER_URL") if RUNNER == "celery" else ""
WEB_PROCESSES = env.number("TOOLSHELF_WEB_PROCESSES", 2, minimum=1)
WEB_THREADS = env.number("TOOLSHELF_WEB_THREADS", 16, minimum=2)
RUN_SLOTS = env.number(
    "TOOLSHELF_RUN_SLOTS", 16, minimum=1
)  # concurrent runs of all processes of a server, or of a worker
RUN_QUEUE_MAX = env.number("TOOLSHELF_RUN_QUEUE_MAX", 1000, minimum=0)
RUN_QUEUE_WAIT_S = env.number("TOOLSHELF_RUN_QUEUE_WAIT_S", 3600, minimum=1)  # Celery: until a worker claims a run
RUN_TIMEOUT_S = env.number("TOOLSHELF_RUN_TIMEOUT_S", 30, minimum=1)
RUN_TIMEOUT_MAX_S = env.number("TOOLSHELF_RUN_TIMEOUT_MAX_S", 300, minimum=1)
RUN_MEMORY_BYTES = env.number("TOOLSHELF_RUN_MEMORY_BYTES", 1024 * 1024 * 1024, minimum=64 * 1024 * 1024)
RUN_RESPONSE_BYTES = env.number("TOOLSHELF_RUN_RESPONSE_BYTES", 1024 * 1024, minimum=1024)
RUN_OUTPUT_BYTES = env.number("TOOLSHELF_RUN_OUTPUT_BYTES", 64 * 1024, minimum=1024)
RUN_PARAMETERS_BYTES = env.number("TOOLSHELF_RUN_PARAMETERS_BYTES", 1024 * 1024, minimum=1024)
RUN_RETENTION_DAYS = env.number("TOOLSHELF_RUN_RETENTION_DAYS", 0)  # 0: forever

# -- logs -------------------------------------------------------------------------------------------------------------

DEFAULT_EXCEPTION_REPORTER_FILTER = "config.error_reports.AlwaysHiding"
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"()": "config.log_filters.OneLine", "format": "%(asctime)s %(levelname)s %(name)s %(message)s"}
    },
    "filters": {
        "brief": {"()": "config.log_filters.QuietAboutUnknownHosts"},
        "secrets": {"()": "config.log_filters.WithoutSecrets"},
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["brief", "secrets"]}},
    "root": {
        "handlers": ["stderr"],
        "level": env.choice("LOG_LEVEL", "WARNING", {"DEBUG", "INFO", "WARNING", "ERROR"}),
    },
    "loggers": {
        "django": {"handlers": [], "level": "WARNING", "propagate": True},
        "django.server": {"handlers": ["stderr"], "level": "INFO", "propagate": False},  # manage.py runserver
    },
}
