"""A demonstration of a tool that does NOT conform: after its first day, the response violates its return type.

This is intentional, to show what a violation looks like. Its examples conform.
"""

from __future__ import annotations

from typing import Any

from playground.builtin.shipped import shipped
from playground.run_log import log
from toolshelf_tools import DefinedTool, Tool

DEGREES_C = {"garden": 14.5, "cellar": 11, "attic": 21.5}
FIRST_DAY_H, SECOND_DAY_H, THIRD_DAY_H = 24, 48, 72


class DriftingThermometer(DefinedTool):
    definition = shipped("drifting_thermometer")
    request_type = dict

    def call(self, request: dict[str, Any]) -> dict[str, Any]:
        place, hours = request.get("place", "garden"), request.get("hours_since_calibration", 0)
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
        if hours > FIRST_DAY_H:
            log("DRIFTING on purpose: from here on the response violates the return type.")
            del response["battery_percent"]
        if hours > SECOND_DAY_H:
            readings[1]["temperature"] = "lukewarm"
        if hours > THIRD_DAY_H:
            readings[0]["temperature"] = 451
            response["mood"] = "feverish"
        return response


class DriftingThermometerFactory:
    def tool_id(self) -> str:
        return DriftingThermometer.definition.id

    def create(self) -> Tool[dict[str, Any], dict[str, Any]]:
        return DriftingThermometer()
