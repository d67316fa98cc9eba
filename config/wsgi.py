"""The WSGI application that granian serves."""

import gc
import os
import signal

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from config.slow_bodies import SlowBodyGuard

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django_application = get_wsgi_application()

from catalog.assessments import Assessor  # noqa: E402 - needs the apps that were just set up
from config.connections import Connections, WriteDeadline  # noqa: E402
from config.metrics import asked_lately  # noqa: E402
from config.responses import UnreadResponses, WholeResponses  # noqa: E402
from playground.run_writer import counters  # noqa: E402
from playground.supervisor import supervisor  # noqa: E402
from playground.worker.syscalls import die_with_parent  # noqa: E402

Assessor(busy=asked_lately).start()
die_with_parent(
    signal.SIGTERM
)  # otherwise it would continue to serve after its parent was killed, beside the next server
counters().begin()
supervisor()  # started now: even an idle process marks the runs of a process that died
if settings.RUNNER == "celery":
    from playground.celery.redelivery import Redelivery  # imported now, so that the first run does not wait for it

    Redelivery()
connections = Connections(deadline_s=settings.WRITE_TIMEOUT_S)
WriteDeadline(connections).start()
application = WholeResponses(
    SlowBodyGuard(django_application, readers=max(1, settings.WEB_THREADS // 2), max_bytes=settings.MAX_UPLOAD_BYTES),
    unread=UnreadResponses(connections.blocked, max_bytes=settings.UNREAD_RESPONSE_BYTES),
    senders=max(1, settings.WEB_THREADS // 8),
)
gc.freeze()  # loaded modules stay in memory: collecting them repeatedly takes a sixth of a large upload's time
