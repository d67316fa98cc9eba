"""List the time zones that have a name or an offset."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from playground.builtin.shipped import SPECS
from playground.builtin.zones import is_daylight_saving, offset_of, zone_names
from toolshelf_tools import tool


@dataclass(frozen=True)
class FoundZone:
    zone: str
    offset: str
    abbreviation: str
    daylight_saving: bool


@dataclass(frozen=True)
class FoundZones:
    found: int
    zones: list[FoundZone]


@tool(spec=SPECS / "find_time_zones.json")
def find_time_zones(
    on_date: dt.date, name_contains: str = "", offset: str | None = None, limit: int = 50
) -> FoundZones:
    wanted = name_contains.strip().replace(" ", "_").lower()
    noon = dt.datetime.combine(on_date, dt.time(12), tzinfo=dt.UTC)
    zones = [zone_at(name, noon) for name in sorted(zone_names()) if wanted in name.lower()]
    found = [zone for zone in zones if offset in (None, zone.offset)]
    return FoundZones(found=len(found), zones=found[:limit])


def zone_at(name: str, moment: dt.datetime) -> FoundZone:
    """The zone `name` at `moment`."""
    local = moment.astimezone(ZoneInfo(name))
    return FoundZone(
        zone=name,
        offset=offset_of(local),
        abbreviation=local.tzname() or "",
        daylight_saving=is_daylight_saving(local),
    )
