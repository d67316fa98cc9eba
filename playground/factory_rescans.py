"""Look for new factories without a restart: packages that were installed, changed or removed meanwhile.

    request_rescan            a press, the API or a signal asks for it: a row in the database
    follow_rescans            every server process and Celery worker looks for that row each `CHECK_S` seconds

A process that finds a new row discovers the factories again and lets its later runs import everything again; active
runs go on with the code that they began with. The row reaches all processes of all machines that share the database.
Each machine looks at its own installation.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from django.db import DatabaseError, connection, transaction

from catalog.accounts.models import Person, User
from catalog.errors import NotAllowed
from catalog.rights import may
from playground.factories.info import FactoryInfo
from playground.factories.registry import registry
from playground.models import FactoryRescan
from playground.supervisor import renew_runner, supervisor
from playground.warming import start_warming

log = logging.getLogger(__name__)

CHECK_S: Final = 2.0
NAMED: Final = 10  # factories in a message
IMPORT_TIMEOUT_S: Final = 10.0  # how long a press waits for factories that are being imported


Request = (
    tuple[int, datetime] | None
)  # the row's key and time, so that a restored database has other requests


class _Followed:
    """The latest request that this process has followed, if it has checked."""

    has_checked = False
    latest: Request = None
    lock = threading.Lock()


def request_rescan(by: User | None) -> list[FactoryInfo]:
    """Look for new factories, in this process immediately, and in every other one within `CHECK_S` seconds.

    Returns:
        The factories that were not registered before. Some may still be being imported.
    """
    before = {each.reference for each in registry().all()}
    check()
    note_request(by)
    check()
    registry().wait(IMPORT_TIMEOUT_S)
    return [each for each in registry().all() if each.reference not in before]


def check_may_rescan(person: Person) -> None:
    """Raises: NotAllowed: only administrators may look for new factories, because that imports code again."""
    if not may(person, "administer"):
        raise NotAllowed("Only an administrator can look for new factories. Ask one to do so.")


def describe_found(new: Sequence[FactoryInfo]) -> str:
    """The result of a search as a sentence."""
    if not new:
        return "No new factories were found. Changed packages are imported again."
    names = ", ".join(f"{each.tool_id or each.key} ({each.label})" for each in new[:NAMED])
    more = f" and {len(new) - NAMED} more" if len(new) > NAMED else ""
    return f"{len(new)} new {'factory was' if len(new) == 1 else 'factories were'} found: {names}{more}."


def note_request(by: User | None = None) -> None:
    """Ask every process to look for new factories, without doing it here: for the main process of a server."""
    with transaction.atomic():
        latest = FactoryRescan.objects.create(by=by)
        FactoryRescan.objects.filter(pk__lt=latest.pk).delete()


def check() -> None:
    """Look for new factories if that was requested since the last check of this process. One short query."""
    latest: Request = (
        FactoryRescan.objects.order_by("-pk").values_list("pk", "requested_at").first()
    )
    with _Followed.lock:
        is_new = _Followed.has_checked and latest not in {None, _Followed.latest}
        _Followed.has_checked, _Followed.latest = True, latest
        if not is_new:
            return
        log.info("Looking for new factories")
        registry().refresh()
    if renew_runner():
        start_warming(supervisor())


def follow_rescans() -> None:
    """Check for requests from a thread, until this process ends."""
    threading.Thread(target=_follow, name="factory-rescans", daemon=True).start()


def _follow() -> None:
    pause = threading.Event()
    while True:
        try:
            check()
        except DatabaseError as error:
            log.warning("Requests to look for new factories could not be read: %s", error)
        except RuntimeError:  # the process has begun to end
            return
        finally:
            connection.close()
        pause.wait(CHECK_S)
