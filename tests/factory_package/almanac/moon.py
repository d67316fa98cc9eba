"""The moon's phase. The interfaces are structural: nothing of Toolshelf is imported."""

from dataclasses import dataclass
from datetime import date

NEW_MOON = date(2000, 1, 6)
MONTH_DAYS = 29.530588853


@dataclass
class Day:
    date: date


class MoonPhase:
    name = "moon_phase"
    description = "How far the moon is through its phases on a day: 0 is new, 0.5 is full."
    request_type = Day

    def call(self, request):
        return {"phase": round((request.date - NEW_MOON).days / MONTH_DAYS % 1, 2)}


class MoonPhaseFactory:
    def tool_id(self):
        return "moon_phase"

    def create(self):
        return MoonPhase()
