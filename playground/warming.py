"""Import the factories in the background after the start, so that a tool's first run is as fast as its others.

The runner's worker imports those of the built-in tools, which all its processes then share. Every other one is imported
by a process of its own, which takes 7 MiB more than the factory itself. Connections come first, if the site has sources
with tools: the MCP client takes about a second to import.

Nothing waits for this, and it can only save time: a factory that fails or hangs is left to its first run.
"""

from __future__ import annotations

import logging
import threading
from typing import Final

from django.conf import settings
from django.db import DatabaseError, connection

from playground.builtin import FACTORIES
from playground.factories.connections import limits_of, used_connections
from playground.factories.info import FactoryInfo
from playground.factories.registry import registry
from playground.runner import Job, Limits
from playground.supervisor import Supervisor

log = logging.getLogger(__name__)

DISCOVERY_LIMIT_S: Final = 300.0


def start_warming(supervisor: Supervisor) -> threading.Thread:
    """Import the built-in factories and the first `settings.WARM_FACTORIES` others, from a thread."""
    thread = threading.Thread(target=_warm, args=(supervisor,), name="warming", daemon=True)
    thread.start()
    return thread


def _warm(supervisor: Supervisor) -> None:
    limit = settings.WARM_FACTORIES
    if not limit:
        return
    supervisor.runner.warm([])
    registry().all()  # which begins to inspect those that are not cached
    if not registry().wait(DISCOVERY_LIMIT_S):
        log.warning("Some factories are still being inspected; the others are imported")
    factories = registry().all()
    usable = [
        each
        for each in factories
        if each.state == "ok" and each.forks_safely and each.reference not in FACTORIES
    ]
    usable = [*_connections(), *usable]
    if len(usable) > limit:
        log.info("Of %s factories, %s are imported before their first run", len(usable), limit)
    try:
        supervisor.runner.warm([_job(each) for each in usable[:limit]])
    except RuntimeError:  # the process has begun to end
        log.info("No factories are imported: the runner is closed")


def _connections() -> list[FactoryInfo]:
    try:
        return used_connections()
    except DatabaseError as error:
        log.warning("The connections to sources are not imported in advance: %s", error)
        return []
    finally:
        connection.close()  # of this thread


def _job(factory: FactoryInfo) -> Job:
    """A job that needs the same processes as the factory's runs."""
    special = limits_of(factory.listed) if factory.listed else {}
    limits = Limits(memory_bytes=settings.RUN_MEMORY_BYTES, **special)
    return Job(
        run_id="",
        reference=factory.reference,
        version=factory.version or "",
        environment=factory.options.environment,
        network=factory.options.network,
        limits=limits,
    )
