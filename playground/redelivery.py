"""Redelivery: messages that Redis has lost are sent again, so that no run waits for a worker in vain.

A Redis without persistence forgets its queue when it ends, and a worker that is killed takes with it what it had just
fetched. So the message of a run stands in the database, too, encrypted, until a worker claims the run. A thread in each
process of a web server compares: where Redis holds fewer messages than runs have been waiting for a while, some are
lost, and all of those runs are sent again. A message that comes twice does no harm: a run is claimed once, in the
database. There are at most twice as many messages as runs, because nothing is sent while Redis holds enough of them.
"""

from __future__ import annotations

import logging
import threading
from datetime import timedelta

from django.db import DatabaseError, connection
from django.utils import timezone

from playground.broker import BrokerError, queue_length, send
from playground.models import QueuedMessage

log = logging.getLogger(__name__)

LOOK_S = 2.0
PATIENCE_S = 5.0  # a message that is younger may just be on its way


def redeliver() -> int:
    """Send the messages of waiting runs again, if Redis has lost any.

    Returns:
        How many were sent.

    Raises:
        BrokerError: Redis cannot be reached.
    """
    overdue = QueuedMessage.objects.filter(sent_at__lt=timezone.now() - timedelta(seconds=PATIENCE_S))
    if not overdue.exists():
        return 0
    in_redis = queue_length()
    waiting = list(overdue.order_by("run").values_list("run", "sent_at"))  # counted after what was fetched meanwhile
    if in_redis >= len(waiting):
        return 0
    sent = 0
    for run_id, sent_at in waiting:
        unchanged = QueuedMessage.objects.filter(run=run_id, sent_at=sent_at)
        sealed = unchanged.values_list("sealed", flat=True).first()
        if sealed is not None and unchanged.update(sent_at=timezone.now()):  # else claimed, or sent by another process
            send(run_id, sealed)
            sent += 1
    if sent:
        log.warning("Redis has lost messages: %s waiting runs were sent to the workers again", sent)
    return sent


class Redelivery:
    """A thread that looks for lost messages."""

    def __init__(self) -> None:
        """Begin."""
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="redelivery", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        self._thread.join(10)

    def _work(self) -> None:
        while not self._closing.wait(LOOK_S):
            try:
                redeliver()
            except BrokerError as error:
                log.warning("Runs wait, and Redis cannot be reached: %s", error)
            except DatabaseError:
                log.exception("Waiting runs could not be looked for; trying again")
                connection.close()
        connection.close()
