"""What is logged: the audit log of changes, and the log of the server."""

from typing import Literal

from django.core.exceptions import ImproperlyConfigured

from config import env
from toolshelf_core.db.append_only import MIN_AGE_DAYS

AUDIT_RETENTION_DAYS: int = env.read(
    "TOOLSHELF_AUDIT_RETENTION_DAYS",
    env.number(0),
    365,
    f"Days after which events of the audit log are deleted: at least {MIN_AGE_DAYS}, or 0: never.",
)  # 0: forever
if 0 < AUDIT_RETENTION_DAYS < MIN_AGE_DAYS:
    raise ImproperlyConfigured(
        f"TOOLSHELF_AUDIT_RETENTION_DAYS is {AUDIT_RETENTION_DAYS}; use at least {MIN_AGE_DAYS}, "
        "or 0 for never."
    )

DEFAULT_EXCEPTION_REPORTER_FILTER = "config.error_pages.AlwaysHiding"
LOG_FORMAT: Literal["json", "text"] = env.read(
    "TOOLSHELF_LOG_FORMAT",
    Literal["json", "text"],
    "text",
    "Lines of text, or one JSON object per line, with request and run ids and a line for each "
    "request.",
)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {
            "()": "config.log_filters.OneLine",
            "format": "%(asctime)s %(levelname)s %(name)s %(message)s",
        },
        "json": {"()": "config.log_filters.JsonLine"},
    },
    "filters": {
        "brief": {"()": "config.log_filters.QuietAboutUnknownHosts"},
        "tracebacks": {"()": "config.log_filters.OneTracebackPerFault"},
        "secrets": {"()": "config.log_filters.WithoutSecrets"},
    },
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": LOG_FORMAT,
            "filters": ["brief", "tracebacks", "secrets"],
        }
    },
    "root": {
        "handlers": ["stderr"],
        "level": env.read(
            "LOG_LEVEL",
            Literal["DEBUG", "ERROR", "INFO", "WARNING"],
            "WARNING",
            "What is logged to standard error; `INFO` adds a line for each request. Long "
            "tracebacks are cut to a few KB, their beginning and end.",
        ),
    },
    "loggers": {
        "django": {"handlers": [], "level": "WARNING", "propagate": True},
        "toolshelf.requests": {"level": "INFO" if LOG_FORMAT == "json" else "NOTSET"},
        # They log the URL of each request, which may contain a secret.
        "httpx2": {"level": "WARNING"},
        "httpcore2": {"level": "WARNING"},
        # manage.py runserver
        "django.server": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
    },
}
