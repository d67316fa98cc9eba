"""The Celery app: web servers send runs, and workers execute them.

Imported only if `TOOLSHELF_RUNNER` is "celery": Celery is an extra of the distribution. There is no
result backend: the database stores a run's result, its progress and requests to cancel it.

A message is acknowledged as soon as a worker fetches it: Redis removes it immediately
(`ack_emulation` is off), and the worker sends nothing to Redis when the run ends. With Celery's
acknowledgements, a worker whose connection broke during a run stopped with an AttributeError. They
would not protect anything either: a run is never repeated, and a message that is lost before its
run is claimed is sent again (`redelivery.py`).

`worker_disable_prefetch` keeps a busy worker from fetching messages that an idle one could fetch.
`task_acks_late` now only makes the worker look for the next message as soon as a run has ended;
without it, the worker looks up to a second later (60 short runs in four slots take 13.8 s instead
of 5.5 s).
"""

from __future__ import annotations

import ssl
import threading
import time
from typing import Any

from celery import Celery
from django.conf import settings
from kombu import Queue
from kombu.exceptions import OperationalError

BrokerError = OperationalError
TASK = "playground.run"
SYNC_TASK = "catalog.sync_sources"
SYNC_EVERY_S = 60.0
WEBHOOK_TASK = "catalog.send_webhooks"
WEBHOOK_EVERY_S = 10.0
QUEUE = "toolshelf-runs"
MARGIN_S = 60  # added to the longest run: by then its process has been ended and its result stored
TIME_LIMIT_S = settings.RUN_TIMEOUT_MAX_S + MARGIN_S

# If Redis accepts connections but does not answer, each send blocks a thread for a few seconds;
# pages need the rest.
SENDERS = max(1, settings.WEB_THREADS // 4)
SENDER_WAIT_S = 0.5

app = Celery("toolshelf", set_as_current=False)
app.conf.update(
    broker_url=settings.REDIS_URL,
    broker_use_ssl={"ssl_cert_reqs": ssl.CERT_REQUIRED}
    if settings.REDIS_URL.startswith("rediss:")
    else None,
    broker_connection_timeout=3,
    broker_connection_retry_on_startup=True,
    # A worker never stops trying; Celery gives up after 100 attempts.
    broker_connection_max_retries=None,
    broker_transport_options={
        "socket_connect_timeout": 2,
        "socket_timeout": 2,
        # Seconds until a worker drops a connection that does not answer.
        "health_check_interval": 10,
        "ack_emulation": False,
    },
    imports=["playground.runs.tasks"],
    task_default_queue=QUEUE,
    # Only JSON: loading a pickle can execute code.
    accept_content=["json"],
    task_serializer="json",
    result_serializer="json",
    event_serializer="json",
    task_ignore_result=True,
    task_store_errors_even_if_ignored=False,
    task_acks_late=True,
    task_reject_on_worker_lost=False,
    task_time_limit=TIME_LIMIT_S,
    worker_cancel_long_running_tasks_on_connection_loss=False,  # a run continues without Redis
    worker_prefetch_multiplier=1,
    worker_disable_prefetch=True,
    # Each tool runs in its own process, so a worker needs only threads that wait for them.
    worker_pool="threads",
    worker_concurrency=settings.RUN_SLOTS,
    worker_enable_remote_control=False,
    worker_send_task_events=False,
    worker_redirect_stdouts=False,
    # One process of `celery -A config.celery beat` starts the syncs of sources and the deliveries
    # to webhooks that are due. Without a worker for a while, one message of each is enough.
    beat_schedule={
        "sync sources": {
            "task": SYNC_TASK,
            "schedule": SYNC_EVERY_S,
            "options": {"expires": SYNC_EVERY_S},
        },
        "send webhooks": {
            "task": WEBHOOK_TASK,
            "schedule": WEBHOOK_EVERY_S,
            "options": {"expires": WEBHOOK_EVERY_S},
        },
    },
    worker_hijack_root_logger=False,
)

_senders = threading.BoundedSemaphore(SENDERS)
_changed_at = 0.0  # when a send last began or ended


def send(run_id: str, encrypted: str) -> None:
    """Send a run to the workers.

    Raises:
        BrokerError: it could not be sent within a few seconds. It may still arrive.
    """
    global _changed_at  # noqa: PLW0603
    # Otherwise all senders are stuck.
    wait_s = SENDER_WAIT_S if time.monotonic() - _changed_at < SENDER_WAIT_S else 0.0
    if not _senders.acquire(timeout=wait_s):
        raise BrokerError("Redis is slow to answer, and other messages are already waiting.")
    _changed_at = time.monotonic()
    try:
        app.send_task(
            TASK,
            (run_id, encrypted),
            task_id=run_id,
            expires=settings.RUN_QUEUE_WAIT_S,
            ignore_result=True,
            argsrepr=run_id,
            retry=True,
            retry_policy={"max_retries": 1, "interval_start": 0.1},
        )
    finally:
        _changed_at = time.monotonic()
        _senders.release()


def queue_length() -> int:
    """How many messages wait in Redis for a worker.

    Raises:
        BrokerError: Redis did not answer within a few seconds.
    """
    with app.connection_for_read() as connection:
        try:
            connection.ensure_connection(max_retries=1, interval_start=0)
            declared: Any = Queue(QUEUE, channel=connection.default_channel).queue_declare()
        except (*connection.connection_errors, *connection.channel_errors) as error:
            raise BrokerError(str(error)) from error
    return int(declared.message_count)
