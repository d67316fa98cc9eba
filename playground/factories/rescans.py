"""Reload packages that were installed, changed or removed, without a restart.

    request_rescan    a press or the API asks; `ask_for_reload` does so for SIGHUP
    follow_rescans    every process that shares the data folder looks each `CHECK_S` seconds

To ask is to write a file in the data folder. A process that finds a newer one discovers the
factories again and lets its later runs import everything again; active runs go on with the code
that they began with. Workers on other machines are restarted instead.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from django.conf import settings
from django.dispatch import Signal

from accounts.models import Person
from catalog.access.rights import may
from playground.factories.info import FactoryInfo
from playground.factories.registry import registry
from toolshelf_core.errors import NotAllowed
from toolshelf_core.jobs import start_job

log = logging.getLogger(__name__)
packages_reloaded: Final = Signal()  # runs connect to it: later ones import everything again

CHECK_S: Final = 2.0
NAMED: Final = 10  # factories in a message
IMPORT_TIMEOUT_S: Final = 10.0  # how long a press waits for factories that are being imported


class _Followed:
    """The content of the file that this process has followed; None before its first check."""

    latest: str | None = None
    lock = threading.Lock()


def request_rescan() -> list[FactoryInfo]:
    """Reload in this process now, and in the others of this machine within `CHECK_S` seconds.

    Returns:
        The factories that were not registered before. Some may still be being imported.
    """
    before = {each.reference for each in registry().all()}
    check()
    ask_for_reload()
    check()
    registry().wait(IMPORT_TIMEOUT_S)
    return [each for each in registry().all() if each.reference not in before]


def check_may_rescan(person: Person) -> None:
    """Check that `person` may reload packages, which imports code again.

    Raises:
        NotAllowed: they are no administrator.
    """
    if not may(person, "administer"):
        raise NotAllowed("Only an administrator can reload installed packages. Ask one to do so.")


def describe_found(new: Sequence[FactoryInfo]) -> str:
    """The result of a search as a sentence."""
    if not new:
        return "No new factories were found. Changed packages are imported again."
    names = ", ".join(f"{each.tool_id or each.key} ({each.label})" for each in new[:NAMED])
    more = f" and {len(new) - NAMED} more" if len(new) > NAMED else ""
    noun = "factory was" if len(new) == 1 else "factories were"
    return f"{len(new)} new {noun} found: {names}{more}."


def ask_for_reload() -> None:
    """Ask the processes of this machine to reload, without doing it here.

    The main process of a server calls it.
    """
    unfinished = _file().with_suffix(".new")
    unfinished.write_text(str(time.time_ns()), encoding="ascii")
    unfinished.replace(_file())


def check() -> None:
    """Reload if that was requested since the last check of this process."""
    try:
        latest = _file().read_text(encoding="ascii")
    except FileNotFoundError:
        latest = ""
    with _Followed.lock:
        is_new = _Followed.latest not in {None, latest}
        _Followed.latest = latest
        if not is_new:
            return
        log.info("Looking for new factories")
        registry().refresh()
    packages_reloaded.send(sender=None)


def follow_rescans() -> None:
    """Check for requests until this process ends."""
    start_job("factory-rescans", check, every_s=CHECK_S)


def _file() -> Path:
    return settings.DATA_DIR / "reload-packages"
