"""Durations and percentiles, in milliseconds."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def time_ms(work: Callable[..., object], *arguments: object, **options: object) -> float:
    began = time.perf_counter()
    work(*arguments, **options)
    return (time.perf_counter() - began) * 1000


def get_p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20, method="inclusive")[18]
