"""A demonstration of a tool that does NOT conform: after its first day, the response violates its return type.

This is intentional, to show what a violation looks like. Its examples conform.
"""

from __future__ import annotations

from typing import Any

from playground.builtin.shipped import SPECS
from playground.runner.log import log
from toolshelf_tools import tool

DEGREES_C = {"garden": 14.5, "cellar": 11, "attic": 21.5}
FIRST_DAY_H, SECOND_DAY_H, THIRD_DAY_H = 24, 48, 72


@tool(spec=SPECS / "drifting_thermometer.json")
def drifting_thermometer(
    place: str = "garden", hours_since_calibration: float = 0
) -> dict[str, Any]:
    readings: list[dict[str, Any]] = [
        {"hours_ago": hours_ago, "temperature": DEGREES_C[place] - hours_ago / 2}
        for hours_ago in (0, 1)
    ]
    response: dict[str, Any] = {
        "place": place,
        "unit": "C",
        "readings": readings,
        "battery_percent": 100,
    }
    if hours_since_calibration > FIRST_DAY_H:
        log("DRIFTING on purpose: from here on the response violates the return type.")
        readings[0]["temperature"] = 451
    if hours_since_calibration > SECOND_DAY_H:
        readings[1]["temperature"] = "lukewarm"
    if hours_since_calibration > THIRD_DAY_H:
        response["mood"] = "feverish"
        del response["battery_percent"]
    return response
