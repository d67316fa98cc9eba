"""Metrics of the site in Prometheus's text format: `/metrics`.

Each of the server's processes counts its requests (`config/request_counters.py`). Ended runs are
counted where they are stored, at most once a minute: their series are gauges, because runs are
removed after some time.

Source: Prometheus, "Exposition formats", text format 0.0.4.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from itertools import accumulate

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.cache import cache
from django.db import DatabaseError, connection
from django.db.models import Case, Count, Sum, Value, When
from django.db.models.functions import Coalesce
from django.db.models.lookups import LessThanOrEqual
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_safe

from accounts.models import User
from accounts.roles import is_administrator
from accounts.tokens import find_token
from catalog.tools.models import Tool
from config.request_counters import Histogram, request_counters
from playground.runs.celery.heartbeats import connected_workers
from playground.runs.models import ENDED, Run
from toolshelf_core.version import read_version

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
RUN_BOUNDS_S = (0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0)
CACHED_S = 60  # counting a million runs takes half a second
UNAUTHENTICATED = (
    "Metrics need authentication: send 'Authorization: Bearer' with the value of the setting "
    "TOOLSHELF_METRICS_TOKEN, or with an administrator's API token that has the scope read; or "
    "sign in as an administrator.\n"
)
NOT_ALLOWED = (
    "These credentials do not give access to metrics. Use the value of the setting "
    "TOOLSHELF_METRICS_TOKEN, or an administrator's API token that has the scope read, or sign in "
    "as an administrator.\n"
)


@login_not_required
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """All metrics in Prometheus's format, for scrapers that have a token, and for staff."""
    status = refusal_status(request)
    if status is None:
        return HttpResponse("\n".join(write_metrics()) + "\n", content_type=CONTENT_TYPE)
    sentence = UNAUTHENTICATED if status == HTTPStatus.UNAUTHORIZED else NOT_ALLOWED
    response = HttpResponse(sentence, status=status, content_type="text/plain; charset=utf-8")
    if status == HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = 'Bearer realm="metrics"'
    return response


def refusal_status(request: HttpRequest) -> HTTPStatus | None:
    """401 without valid credentials, 403 if they give no access to metrics, else None.

    Being on the same machine is not a credential: tools run there, too.
    """
    kind, _, secret = request.headers.get("Authorization", "").partition(" ")
    is_known = False
    if kind:
        if kind.lower() != "bearer":
            return HTTPStatus.UNAUTHORIZED
        if settings.METRICS_TOKEN and constant_time_compare(secret.strip(), settings.METRICS_TOKEN):
            return None
        token = find_token(secret.strip())
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


def write_metrics() -> Iterator[str]:
    yield from gauge(
        "toolshelf_build_info", "The version of the server.", 1, {"version": read_version()}
    )
    name = "toolshelf_request_seconds"
    yield from family(name, "histogram", "Durations of requests, by type and status.")
    for (kind, status), histogram in request_counters().sum().items():
        yield from write_histogram(name, {"kind": kind, "status": status}, histogram)
    yield from gauge(
        "toolshelf_run_slots", "The maximum number of concurrent runs.", settings.RUN_SLOTS
    )
    yield from gauge(
        "toolshelf_run_queue_max", "The maximum number of waiting runs.", settings.RUN_QUEUE_MAX
    )
    yield from write_stored_numbers()


def measure_calls() -> dict[tuple[str, str], Histogram]:
    """How long the calls of stored runs took, by outcome and mode. Runs without a call took 0 s."""
    call_ms = Coalesce("call_ms", 0.0)
    cases = []
    for number, bound in enumerate(RUN_BOUNDS_S):
        cases.append(When(LessThanOrEqual(call_ms, bound * 1_000), then=number))
    bucket = Case(*cases, default=len(RUN_BOUNDS_S))
    # As an expression, because SQLite would take the index that begins with this column and read
    # every run.
    own_outcome = Coalesce("outcome", Value(""))
    rows = Run.objects.order_by().values_list(own_outcome, "mode", bucket)
    rows = rows.annotate(count=Count("pk"), sum_ms=Sum(call_ms))
    buckets: dict[tuple[str, str], list[int]] = {}
    seconds: dict[tuple[str, str], float] = defaultdict(float)
    for outcome, mode, number, count, sum_ms in rows:
        if outcome in ENDED:
            counts = buckets.setdefault((outcome, mode), [0] * (len(RUN_BOUNDS_S) + 1))
            counts[number] += count
            seconds[outcome, mode] += sum_ms / 1_000
    histograms = {}
    for pair, counts in buckets.items():
        *cumulative, total = accumulate(counts)
        histograms[pair] = Histogram(RUN_BOUNDS_S, cumulative, total, seconds[pair])
    return histograms


def write_stored_numbers() -> Iterator[str]:
    """The numbers from the database; if it cannot be reached, only that fact."""
    try:
        lines = [*write_counts(), *write_call_durations()]
    except DatabaseError:
        connection.close()
        lines = []
    yield from gauge("toolshelf_database_up", "Whether the database responds.", int(bool(lines)))
    yield from lines


def write_counts() -> Iterator[str]:
    active = Run.objects.active().count()
    waiting = max(0, active - settings.RUN_SLOTS)
    yield from gauge("toolshelf_runs_active", "Runs that are waiting or running.", active)
    yield from gauge("toolshelf_runs_waiting", "Runs that wait for a slot.", waiting)
    if settings.RUNNER == "celery":
        yield from gauge(
            "toolshelf_workers",
            "Celery workers that are alive and connected to Redis.",
            connected_workers(),
        )
    yield from gauge(
        "toolshelf_tools",
        "Tools in the catalog, including archived ones.",
        Tool.objects.count(),
    )


def write_call_durations() -> Iterator[str]:
    lines: list[str] = []
    durations = cache.get_or_set("call_durations", measure_calls, CACHED_S)
    for (outcome, mode), histogram in (durations or {}).items():
        labels = {"outcome": outcome, "mode": mode}
        lines += write_histogram("toolshelf_run_seconds", labels, histogram)
    for kind in ("bucket", "sum", "count"):
        name = f"toolshelf_run_seconds_{kind}"
        yield from family(name, "gauge", "Durations of the calls of stored runs that have ended.")
        yield from [line for line in lines if line.startswith(name)]


def family(name: str, kind: str, text: str) -> Iterator[str]:
    yield f"# HELP {name} {text}"
    yield f"# TYPE {name} {kind}"


def gauge(
    name: str, text: str, value: float, labels: Mapping[str, str] | None = None
) -> Iterator[str]:
    yield from family(name, "gauge", text)
    yield sample(name, labels or {}, value)


def sample(name: str, labels: Mapping[str, str], value: float) -> str:
    pairs = ",".join(f'{label}="{escape(text)}"' for label, text in labels.items())
    if pairs:
        name = f"{name}{{{pairs}}}"
    return f"{name} {value:.15g}"


def write_histogram(name: str, labels: Mapping[str, str], histogram: Histogram) -> Iterator[str]:
    """The lines of a histogram; no lines if it is empty."""
    if not histogram.count:
        return
    for bound, count in zip(histogram.bounds, histogram.cumulative, strict=True):
        yield sample(f"{name}_bucket", {**labels, "le": f"{bound:g}"}, count)
    yield sample(f"{name}_bucket", {**labels, "le": "+Inf"}, histogram.count)
    yield sample(f"{name}_sum", labels, histogram.sum)
    yield sample(f"{name}_count", labels, histogram.count)


def escape(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
