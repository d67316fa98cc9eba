"""Metrics of the site in Prometheus's text format: `/metrics`.

Each of the server's processes counts its requests and runs (`playground/metrics.py`); Celery's workers count runs in
the database (`playground/run_counters.py`). The numbers of waiting runs and stored tools are queried for each request.

Source: Prometheus, "Exposition formats", text format 0.0.4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from http import HTTPStatus

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_safe

from catalog.accounts.models import User
from catalog.accounts.roles import is_administrator
from catalog.accounts.tokens import token_for
from catalog.models import Tool
from catalog.version import own_version
from playground import run_counters
from playground.celery.heartbeats import connected_workers
from playground.metrics import Counts, Histogram
from playground.models import Run
from playground.run_writer import counters

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
UNAUTHENTICATED = (
    "Metrics need authentication: send 'Authorization: Bearer' with the value of the setting TOOLSHELF_METRICS_TOKEN, "
    "or with an administrator's API token that has the scope read; or sign in as an administrator.\n"
)
NOT_ALLOWED = (
    "These credentials do not give access to metrics. Use the value of the setting TOOLSHELF_METRICS_TOKEN, or an "
    "administrator's API token that has the scope read, or sign in as an administrator.\n"
)


@login_not_required
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """All metrics in Prometheus's format, for scrapers that have a token, and for staff."""
    status = refusal_status(request)
    if status is None:
        return HttpResponse("\n".join(lines()) + "\n", content_type=CONTENT_TYPE)
    sentence = UNAUTHENTICATED if status == HTTPStatus.UNAUTHORIZED else NOT_ALLOWED
    response = HttpResponse(sentence, status=status, content_type="text/plain; charset=utf-8")
    if status == HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = 'Bearer realm="metrics"'
    return response


def refusal_status(request: HttpRequest) -> HTTPStatus | None:
    """401 if valid credentials are missing, 403 if they give no access to metrics, None if access is allowed.

    Being on the same machine is not a credential: tools run there, too.
    """
    kind, _, secret = request.headers.get("Authorization", "").partition(" ")
    is_known = False
    if kind:
        if kind.lower() != "bearer":
            return HTTPStatus.UNAUTHORIZED
        if settings.METRICS_TOKEN and constant_time_compare(secret.strip(), settings.METRICS_TOKEN):
            return None
        token = token_for(secret.strip())
        if token is None:
            return HTTPStatus.UNAUTHORIZED
        if "read" in token.scopes and not token.toolkits and is_administrator(token.user):
            return None
        is_known = True
    if isinstance(request.user, User):
        if is_administrator(request.user):
            return None
        is_known = True
    return HTTPStatus.FORBIDDEN if is_known else HTTPStatus.UNAUTHORIZED


def lines() -> Iterator[str]:
    counts = counters().summed()
    yield from gauge(
        "toolshelf_build_info", "The version of the server.", 1, {"version": own_version()}
    )
    yield from family(
        "toolshelf_request_seconds", "histogram", "Durations of requests, by type and status."
    )
    for (kind, status), histogram in counts.requests.items():
        yield from histogram_lines(
            "toolshelf_request_seconds", {"kind": kind, "status": status}, histogram
        )
    yield from family(
        "toolshelf_run_seconds",
        "histogram",
        "Durations of ended runs, from the request to the end.",
    )
    for (outcome, mode), histogram in ended_runs(counts).items():
        yield from histogram_lines(
            "toolshelf_run_seconds", {"outcome": outcome, "mode": mode}, histogram
        )
    yield from gauge(
        "toolshelf_run_slots", "The maximum number of concurrent runs.", settings.RUN_SLOTS
    )
    yield from gauge(
        "toolshelf_run_queue_max", "The maximum number of waiting runs.", settings.RUN_QUEUE_MAX
    )
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
    yield from gauge(
        "toolshelf_database_up", "Whether the database responds.", int(active is not None)
    )
    if active is None or tools is None:
        return
    yield from gauge("toolshelf_runs_active", "Runs that are waiting or running.", active)
    yield from gauge(
        "toolshelf_runs_waiting", "Runs that wait for a slot.", max(0, active - settings.RUN_SLOTS)
    )
    if workers is not None:
        yield from gauge(
            "toolshelf_workers", "Celery workers that are alive and connected to Redis.", workers
        )
    yield from gauge("toolshelf_tools", "Tools in the catalog, including archived ones.", tools)


def family(name: str, kind: str, text: str) -> Iterator[str]:
    yield f"# HELP {name} {text}"
    yield f"# TYPE {name} {kind}"


def gauge(
    name: str, text: str, value: float, labels: Mapping[str, str] | None = None
) -> Iterator[str]:
    yield from family(name, "gauge", text)
    yield sample(name, labels or {}, value)


def sample(name: str, labels: Mapping[str, str], value: float) -> str:
    pairs = ",".join(f'{label}="{escaped(text)}"' for label, text in labels.items())
    return f"{name}{{{pairs}}} {value:.15g}" if pairs else f"{name} {value:.15g}"


def histogram_lines(name: str, labels: Mapping[str, str], histogram: Histogram) -> Iterator[str]:
    """The lines of a histogram; no lines if it is empty."""
    if not histogram.count:
        return
    for bound, count in zip(histogram.bounds, histogram.cumulated, strict=True):
        yield sample(f"{name}_bucket", {**labels, "le": f"{bound:g}"}, count)
    yield sample(f"{name}_bucket", {**labels, "le": "+Inf"}, histogram.count)
    yield sample(f"{name}_sum", labels, histogram.sum)
    yield sample(f"{name}_count", labels, histogram.count)


def escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
