"""Send messages again that Redis has lost, so that no run waits for a worker forever.

Redis without persistence loses its queue when it stops, and a worker that is killed loses the
message that it has just fetched. So the message of a run is also stored in the database, encrypted,
until a worker claims the run. A job of each web server process compares the two: if Redis holds
fewer messages than there are runs that have waited for a while, some messages are lost, and all of
those runs are sent again. A message that arrives twice does no harm, because a run is claimed only
once, in the database. There are at most twice as many messages as runs, because nothing is sent
while Redis holds enough of them.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from django.utils import timezone

from playground.runs.celery.app import BrokerError, queue_length, send
from playground.runs.models import QueuedMessage

log = logging.getLogger(__name__)

CHECK_S = 2.0
DELIVERY_TIMEOUT_S = 5.0  # a younger message may still be in transit


def redeliver() -> int:
    """Send the messages of waiting runs again, if Redis has lost any.

    Returns:
        How many were sent.

    Raises:
        BrokerError: Redis cannot be reached.
    """
    overdue = QueuedMessage.objects.filter(
        sent_at__lt=timezone.now() - timedelta(seconds=DELIVERY_TIMEOUT_S)
    )
    if not overdue.exists():
        return 0
    in_redis = queue_length()
    # Read last: some may be claimed by now.
    waiting = list(overdue.order_by("run").values_list("run", "sent_at"))
    if in_redis >= len(waiting):
        return 0
    count = 0
    for run_id, sent_at in waiting:
        messages = QueuedMessage.objects.filter(run=run_id, sent_at=sent_at)
        encrypted = messages.values_list("encrypted", flat=True).first()
        # The message is gone if its run was claimed, and has another time if it was sent elsewhere.
        if encrypted is not None and messages.update(sent_at=timezone.now()):
            send(run_id, encrypted)
            count += 1
    if count:
        log.warning(
            "Redis has lost messages: %s waiting runs were sent to the workers again", count
        )
    return count


def redeliver_if_reachable() -> None:
    """As `redeliver`. If Redis cannot be reached, that is logged in one line."""
    try:
        redeliver()
    except BrokerError as error:
        log.warning("Runs are waiting, and Redis cannot be reached: %s", error)
