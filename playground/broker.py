"""Celery as Toolshelf uses it: web servers send runs with it, and workers take them.

Imported only where `TOOLSHELF_RUNNER` is "celery": Celery is an extra of the distribution. There is no result backend;
how a run ended stands in the database, and so does everything that is asked of a run.
"""

from __future__ import annotations

import ssl

from celery import Celery
from django.conf import settings
from kombu.exceptions import OperationalError

BrokerError = OperationalError
TASK = "playground.run"
MARGIN_S = 60  # over the longest run: its process is ended by then, and what it said is written down
TIME_LIMIT_S = settings.RUN_TIMEOUT_MAX_S + MARGIN_S

app = Celery("toolshelf", set_as_current=False)
app.conf.update(
    broker_url=settings.CELERY_BROKER_URL,
    broker_use_ssl={"ssl_cert_reqs": ssl.CERT_REQUIRED} if settings.CELERY_BROKER_URL.startswith("rediss:") else None,
    broker_connection_timeout=3,
    broker_connection_retry_on_startup=True,
    broker_transport_options={
        "socket_connect_timeout": 2,
        "socket_timeout": 2,
        "visibility_timeout": TIME_LIMIT_S + MARGIN_S,  # then a message that was taken and not done is sent again
    },
    imports=["playground.tasks"],
    task_default_queue="toolshelf-runs",
    # JSON alone: reading a pickle would be running what is in it.
    accept_content=["json"],
    task_serializer="json",
    result_serializer="json",
    event_serializer="json",
    task_ignore_result=True,
    task_store_errors_even_if_ignored=False,
    # A message is done when its run has ended. What a killed worker leaves is `crashed`, and is never called again.
    task_acks_late=True,
    task_reject_on_worker_lost=False,
    task_time_limit=TIME_LIMIT_S,
    worker_prefetch_multiplier=1,
    # The tools run in processes of their own, so a worker needs only threads that wait for them.
    worker_pool="threads",
    worker_concurrency=settings.RUN_SLOTS,
    worker_enable_remote_control=False,
    worker_send_task_events=False,
    worker_redirect_stdouts=False,
    worker_hijack_root_logger=False,
)


def send(run_id: str, sealed: str) -> None:
    """Tell the workers of a run.

    Raises:
        BrokerError: it could not be sent, within some seconds.
    """
    app.send_task(
        TASK,
        (run_id, sealed),
        task_id=run_id,
        expires=settings.RUN_QUEUE_WAIT_S,
        ignore_result=True,
        argsrepr=run_id,
        retry=True,
        retry_policy={"max_retries": 1, "interval_start": 0.1},
    )
