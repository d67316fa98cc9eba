"""What a worker starts from: `.venv/bin/celery -A config.celery worker`."""

import os
from typing import Any

import django
from celery.signals import setup_logging
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()
if settings.RUNNER != "celery":
    raise ImproperlyConfigured(
        "A worker takes the same settings as the web server: TOOLSHELF_RUNNER=celery, and so on."
    )

from playground.broker import app  # noqa: E402 - needs the settings

__all__ = ["app"]


@setup_logging.connect
def keep_logging(**_: Any) -> None:
    """Leave logs as the settings have them: that somebody listens here keeps Celery from changing them."""
