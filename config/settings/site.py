"""What the site consists of: apps, middleware, templates, static files."""

from importlib.metadata import distribution
from pathlib import Path
from wsgiref.headers import Headers

import allauth
import django

from config.settings.data import BASE_DIR, DATA_DIR
from config.settings.security import DEBUG

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
    "toolshelf_core",
    "accounts",
    "catalog",
    "playground",
    "config.apps.ConfigConfig",
]
MIDDLEWARE = [
    # Must be first: anything before it could log a secret.
    "config.middleware.hidden_secrets.HideSecretsMiddleware",
    "config.middleware.request_context.RequestContextMiddleware",
    "config.middleware.request_metrics.RequestMetricsMiddleware",
    "config.middleware.access.PlainTokensMiddleware",  # before the redirect to HTTPS
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.middleware.response_headers.BrowserPoliciesMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.middleware.response_headers.CacheControlMiddleware",
    "config.middleware.compression.CompressionMiddleware",
    "config.middleware.error_responses.ErrorResponsesMiddleware",
    "config.middleware.request_bounds.RequestBoundsMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "config.middleware.access.CrossSiteGuardMiddleware",
    "config.middleware.access.VisitorRatesMiddleware",
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
                "catalog.context_processors.review",
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
# Ours, the admin's, the scripts for passkeys and Swagger UI, but no other package's: some bring
# demo pages. ninja is not imported here, since it reads the settings.
STATICFILES_DIRS = [
    BASE_DIR / "static",
    ("admin", Path(django.__file__).parent / "contrib" / "admin" / "static" / "admin"),
    ("mfa", Path(allauth.__file__).parent / "mfa" / "static" / "mfa"),
    ("ninja", Path(str(distribution("django-ninja").locate_file("ninja/static/ninja")))),
]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "config.static_files.JoinedFilesFinder",
]
STATIC_ROOT = DATA_DIR / "static"
STORAGES = {
    # Nothing is uploaded to a file.
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}


def add_static_headers(headers: Headers, _path: str, _url: str) -> None:
    """Add the policy for a static file that is opened as a page: it loads nothing."""
    headers["Content-Security-Policy"] = "default-src 'none'; frame-ancestors 'none'"


WHITENOISE_MAX_AGE = 3600
WHITENOISE_ALLOW_ALL_ORIGINS = False  # only pages of this site use them
WHITENOISE_ADD_HEADERS_FUNCTION = add_static_headers
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
