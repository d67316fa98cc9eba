"""Environment variables of earlier versions: a start with one of them prints what applies now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_API_RATE: Final = "TOOLSHELF_API_RATE limits each person, and each address without a token."
REMOVED: Final = {
    "CELERY_BROKER_URL": "TOOLSHELF_REDIS replaces it. This version still reads it if "
    "TOOLSHELF_REDIS is not set.",
    "SQLITE_QUERY_FOLDER": "The tool query_sqlite reads only its sample database.",
    "TOOLSHELF_API_ADDRESS_RATE": _API_RATE,
    "TOOLSHELF_API_ANONYMOUS_RATE": _API_RATE,
    "TOOLSHELF_API_TOKEN_RATE": _API_RATE,
    "TOOLSHELF_COOKIE_SUFFIX": "The names of cookies end with a suffix that SECRET_KEY determines.",
    "TOOLSHELF_LOG_REQUESTS": "Requests are logged with LOG_LEVEL=INFO and with "
    "TOOLSHELF_LOG_FORMAT=json.",
    "TOOLSHELF_LOOPBACK_ONLY": (
        "Sources may reach this machine if ALLOWED_HOSTS and --host are this machine, or with "
        "TOOLSHELF_ALLOWED_NETWORKS='127.0.0.0/8 ::1'."
    ),
    "TOOLSHELF_MAX_UPLOAD_BYTES": "An upload can have at most 8 MiB and 2,000 specs.",
    "TOOLSHELF_METRICS_LOCAL": "Scrapers send TOOLSHELF_METRICS_TOKEN, from the same machine as "
    "well.",
    "TOOLSHELF_RUN_OUTPUT_BYTES": "64 KiB of each of a run's output streams are stored.",
    "TOOLSHELF_RUN_PARAMETERS_BYTES": "The parameters of a run can have at most 1 MiB.",
    "TOOLSHELF_RUN_QUEUE_MAX": "At most 1,000 runs wait.",
    "TOOLSHELF_RUN_QUEUE_WAIT_S": "With Celery, a run waits at most an hour for a worker.",
    "TOOLSHELF_RUN_RESPONSE_BYTES": "A response of more than 1 MiB is stored as a file.",
    "TOOLSHELF_UNREAD_RESPONSE_BYTES": "64 MiB of large responses of a process may be unread.",
    "TOOLSHELF_WARM_FACTORIES": "A factory is imported by its first run, built-in tools at the "
    "start.",
    "TOOLSHELF_WRITE_TIMEOUT_S": "A client that reads too slowly is disconnected after 30 s.",
}


def describe_removed_variables(environment: Mapping[str, str]) -> list[str]:
    """A sentence or two for each variable in `environment` that no longer exists."""
    names = [name for name in REMOVED if name in environment]
    return [f"{name} no longer exists. {REMOVED[name]}" for name in names]
