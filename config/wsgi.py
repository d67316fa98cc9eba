"""The WSGI application that granian serves."""

import gc
import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from config.server.slow_bodies import SlowBodyGuard

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django_application = get_wsgi_application()

from catalog.sources.schedule import sync_due  # noqa: E402
from catalog.tools.assessments import Assessor  # noqa: E402 - needs the apps that were just set up
from catalog.webhooks.delivery import deliver_due  # noqa: E402
from catalog.webhooks.queue import new_deliveries  # noqa: E402
from config.request_counters import request_counters  # noqa: E402
from config.server.connections import Connections, WriteDeadline  # noqa: E402
from config.server.draining import drain_on_request, stop_with_main_process  # noqa: E402
from config.server.responses import UnreadResponses, WholeResponses  # noqa: E402
from playground.factories.rescans import follow_rescans  # noqa: E402
from playground.runs import visitors  # noqa: E402
from playground.runs.retention import prune  # noqa: E402
from playground.runs.supervisor import start_runs, supervisor  # noqa: E402
from toolshelf_core.jobs import start_job  # noqa: E402

stop_with_main_process()
request_counters().begin()
start_job("assessments", Assessor().assess, every_s=2, first_s=2)
start_job("retention", prune, every_s=86_400, first_s=600)
start_job("visitors", visitors.prune, every_s=60, first_s=60)
if settings.RUNNER == "local":  # otherwise Celery beat starts syncs and deliveries
    start_job("sources", sync_due, every_s=60, first_s=20)
    start_job(
        "webhooks", lambda: list(deliver_due()), every_s=5, first_s=10, woken_by=new_deliveries
    )
follow_rescans()
if settings.RUNNER == "local":
    start_runs()
else:
    supervisor()  # started now: even an idle process marks the runs of a process that died
if settings.RUNNER == "celery":
    # Celery is imported now, so that the first run does not wait for it.
    from playground.runs.celery.redelivery import CHECK_S, redeliver_if_reachable

    start_job("redelivery", redeliver_if_reachable, every_s=CHECK_S, first_s=CHECK_S)
drain_on_request()
connections = Connections(deadline_s=settings.WRITE_TIMEOUT_S)
WriteDeadline(connections).start()
application = WholeResponses(
    SlowBodyGuard(
        django_application,
        readers=max(1, settings.WEB_THREADS // 2),
        max_bytes=settings.MAX_REQUEST_BYTES,
    ),
    unread=UnreadResponses(connections.count_blocked, max_bytes=settings.UNREAD_RESPONSE_BYTES),
    senders=max(1, settings.WEB_THREADS // 8),
)
# Loaded modules stay in memory. Each garbage collection would look through them, which takes a
# sixth of a large upload's time.
gc.freeze()
