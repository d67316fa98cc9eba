"""What a worker starts from: `.venv/bin/celery -A config.celery worker`."""

import os
from typing import Any

import django
from celery.bootsteps import StartStopStep
from celery.signals import setup_logging, worker_shutdown
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()
if settings.RUNNER != "celery":
    raise ImproperlyConfigured(
        "A worker takes the same settings as the web server: TOOLSHELF_RUNNER=celery, and so on."
    )

from playground.broker import app  # noqa: E402 - needs the settings
from playground.heartbeats import Heartbeat  # noqa: E402

__all__ = ["app"]


@setup_logging.connect
def keep_logging(**_: Any) -> None:
    """Leave logs as the settings have them: that somebody listens here keeps Celery from changing them."""


heartbeat = Heartbeat()


class Connected(StartStopStep):
    """Celery starts this whenever the worker has connected to Redis, and stops it when the connection is lost."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def start(self, parent: Any) -> None:  # noqa: ARG002
        heartbeat.start()

    def stop(self, parent: Any) -> None:  # noqa: ARG002
        heartbeat.stop()


app.steps["consumer"].add(Connected)


@worker_shutdown.connect
def end_heartbeat(**_: Any) -> None:
    heartbeat.close()
