"""Metrics of the site in Prometheus's text format: `/metrics`.

Each of the server's processes counts its requests and runs (`playground/metrics.py`); Celery's workers count runs in
the database (`playground/run_counters.py`). The numbers of waiting runs and stored tools are queried for each request.

Source: Prometheus, "Exposition formats", text format 0.0.4.
"""

from __future__ import annotations

import ipaddress
import math
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import ClassVar
from urllib.parse import urlsplit

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from catalog.accounts.models import User
from catalog.accounts.tokens import token_for
from catalog.accounts.views import address_of
from catalog.models import Tool
from playground import run_counters
from playground.celery.heartbeats import connected_workers
from playground.metrics import Counts, Histogram
from playground.models import Run
from playground.run_writer import counters

GetResponse = Callable[[HttpRequest], HttpResponseBase]
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
NOT_COUNTED = ("/metrics", "/healthz", "/readyz")
REFUSAL = (
    "Only this machine itself may read this, and staff: signed in, or with 'Authorization: Bearer' and a token of "
    "theirs that has the scope read.\n"
)


LATELY_S = 2.0


class RequestMetricsMiddleware:
    """Measures the duration of requests by kind (page, API, static file) and status."""

    asked_at: ClassVar[float] = -math.inf  # the time of the last request to this process

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info in NOT_COUNTED:
            return self.get_response(request)
        RequestMetricsMiddleware.asked_at = began = time.perf_counter()
        response = self.get_response(request)
        counters().request(kind_of(request.path_info), response.status_code, time.perf_counter() - began)
        return response


def asked_lately() -> bool:
    """Whether this process received a request in the last `LATELY_S` seconds."""
    return time.perf_counter() - RequestMetricsMiddleware.asked_at < LATELY_S


def kind_of(path: str) -> str:
    if path.startswith("/api/"):
        return "api"
    return "static" if path.startswith(settings.STATIC_URL) else "page"


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """All metrics in Prometheus's format. Only for this machine itself and for staff."""
    if not may_read(request):
        return HttpResponse(REFUSAL, status=403, content_type="text/plain; charset=utf-8")
    return HttpResponse("\n".join(lines()) + "\n", content_type=CONTENT_TYPE)


def may_read(request: HttpRequest) -> bool:
    """Whether the request comes from this machine, and not through a proxy, or from staff."""
    kind, _, secret = request.headers.get("Authorization", "").partition(" ")
    if kind:
        token = token_for(secret.strip()) if kind.lower() == "bearer" else None
        if token is None:
            return False
        if "read" in token.scopes and token.user.is_staff:
            return True  # any other usable token has the same effect as no token
    if isinstance(request.user, User) and request.user.is_staff:
        return True
    host = urlsplit(f"//{request.get_host()}").hostname or ""
    if settings.HTTPS or not (host == "localhost" or is_loopback(host)):
        return False  # a proxy that adds no headers still passes on the host name that clients use
    passed_on = any(name in request.headers for name in ("X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"))
    return not settings.TRUST_PROXY and not passed_on and is_loopback(address_of(request))


def is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def lines() -> Iterator[str]:
    counts = counters().summed()
    yield from family("toolshelf_build_info", "gauge", "The version that serves.")
    yield sample("toolshelf_build_info", {"version": own_version()}, 1)
    yield from family("toolshelf_request_seconds", "histogram", "How long requests took, by what was asked for.")
    for (kind, status), histogram in counts.requests.items():
        yield from histogram_lines("toolshelf_request_seconds", {"kind": kind, "status": status}, histogram)
    yield from family("toolshelf_run_seconds", "histogram", "How long ended runs took, from being asked for.")
    for (outcome, mode), histogram in ended_runs(counts).items():
        yield from histogram_lines("toolshelf_run_seconds", {"outcome": outcome, "mode": mode}, histogram)
    yield from family("toolshelf_run_slots", "gauge", "How many runs may be under way at once.")
    yield sample("toolshelf_run_slots", {}, settings.RUN_SLOTS)
    yield from family("toolshelf_run_queue_max", "gauge", "How many runs may wait.")
    yield sample("toolshelf_run_queue_max", {}, settings.RUN_QUEUE_MAX)
    yield from stored()


def ended_runs(counts: Counts) -> dict[tuple[str, str], Histogram]:
    """By outcome and mode. With Celery, from the database; {} if it cannot be reached."""
    if settings.RUNNER != "celery":
        return counts.runs
    try:
        return run_counters.summed()
    except DatabaseError:
        connection.close()
        return {}


def stored() -> Iterator[str]:
    """The numbers from the database; if it cannot be reached, only that fact."""
    try:
        active, tools = Run.objects.active().count(), Tool.objects.count()
        workers = connected_workers() if settings.RUNNER == "celery" else None
    except DatabaseError:
        connection.close()
        active, tools, workers = None, None, None
    yield from family("toolshelf_database_up", "gauge", "Whether the database answers.")
    yield sample("toolshelf_database_up", {}, int(active is not None))
    if active is None or tools is None:
        return
    yield from family("toolshelf_runs_active", "gauge", "Runs that have not ended: they wait or are under way.")
    yield sample("toolshelf_runs_active", {}, active)
    yield from family("toolshelf_runs_waiting", "gauge", "Runs beyond those that all slots take: they wait.")
    yield sample("toolshelf_runs_waiting", {}, max(0, active - settings.RUN_SLOTS))
    if workers is not None:
        yield from family("toolshelf_workers", "gauge", "Celery workers that are alive and connected to Redis.")
        yield sample("toolshelf_workers", {}, workers)
    yield from family("toolshelf_tools", "gauge", "Tools in the catalog, archived ones too.")
    yield sample("toolshelf_tools", {}, tools)


def family(name: str, kind: str, text: str) -> Iterator[str]:
    yield f"# HELP {name} {text}"
    yield f"# TYPE {name} {kind}"


def sample(name: str, labels: Mapping[str, str], value: float) -> str:
    pairs = ",".join(f'{label}="{escaped(text)}"' for label, text in labels.items())
    return f"{name}{{{pairs}}} {value:.15g}" if pairs else f"{name} {value:.15g}"


def histogram_lines(name: str, labels: Mapping[str, str], histogram: Histogram) -> Iterator[str]:
    """The lines of a histogram; none if it is empty."""
    if not histogram.count:
        return
    for bound, count in zip(histogram.bounds, histogram.cumulated, strict=True):
        yield sample(f"{name}_bucket", {**labels, "le": f"{bound:g}"}, count)
    yield sample(f"{name}_bucket", {**labels, "le": "+Inf"}, histogram.count)
    yield sample(f"{name}_sum", labels, histogram.sum)
    yield sample(f"{name}_count", labels, histogram.count)


def escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")


@cache
def own_version() -> str:
    try:
        return version("toolshelf")
    except PackageNotFoundError:
        return "development"
