"""The Celery application for workers: `.venv/bin/celery -A config.celery worker`."""

import logging
import os
import warnings
from typing import Any

import django
from celery.bootsteps import StartStopStep
from celery.signals import setup_logging, worker_ready, worker_shutdown
from celery.worker.consumer import Consumer
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()
if settings.RUNNER != "celery":
    raise ImproperlyConfigured(
        "A worker takes the same settings as the web server: TOOLSHELF_RUNNER=celery, and so on."
    )

from config.removed_variables import describe_removed_variables  # noqa: E402 - needs the settings
from playground.factories.registry import registry  # noqa: E402
from playground.factories.rescans import follow_rescans  # noqa: E402
from playground.runs.celery.app import app  # noqa: E402 - needs the settings
from playground.runs.celery.heartbeats import Heartbeat  # noqa: E402
from playground.runs.supervisor import start_runs  # noqa: E402

if faults := registry().setting_faults():
    raise ImproperlyConfigured(" ".join(faults))

for notice in describe_removed_variables(os.environ):
    logging.getLogger(__name__).warning(notice)

__all__ = ["app"]


@setup_logging.connect
def leave_logging_unchanged(**_: Any) -> None:
    """Do nothing: a receiver of this signal stops Celery from replacing the configured logging."""


class QuietConsumer(Consumer):
    """Celery's consumer without the events that workers send each other.

    Nothing listens to them. While Redis accepts connections but does not answer, sending one would
    block the loop that fetches runs, and the shutdown of the worker, forever.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs |= {"without_gossip": True, "without_heartbeat": True, "without_mingle": True}
        super().__init__(*args, **kwargs)
        # The warning does not apply: runs are not repeated after a lost connection. Added after
        # Celery's own filters.
        warnings.filterwarnings(
            "ignore", r"\s*In Celery 5\.1 we introduced", PendingDeprecationWarning
        )


app.conf.worker_consumer = QuietConsumer
heartbeat = Heartbeat()


class RedisConnection(StartStopStep):
    """Celery starts this when the worker has connected to Redis, and stops it afterwards."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def start(self, parent: Any) -> None:
        # A run continues when the connection is lost, so its message must not be put back into the
        # queue.
        parent.task_consumer.channel.do_restore = False
        heartbeat.start()

    def stop(self, parent: Any) -> None:  # noqa: ARG002
        heartbeat.stop()


app.steps["consumer"].add(RedisConnection)


@worker_ready.connect
def start_runner(**_: Any) -> None:
    follow_rescans()
    start_runs(processes=1)


@worker_shutdown.connect
def end_heartbeat(**_: Any) -> None:
    heartbeat.close()
