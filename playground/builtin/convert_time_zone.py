"""Convert a moment to the local time of several zones."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from typing import Literal
from zoneinfo import ZoneInfo

from playground.builtin.shipped import SPECS
from playground.builtin.zones import WEEKDAYS, is_daylight_saving, offset_of, zone_named
from toolshelf_tools import tool


@dataclass(frozen=True)
class LocalTime:
    zone: str
    local: str
    weekday: str
    offset: str
    abbreviation: str
    daylight_saving: bool


@dataclass(frozen=True)
class Answer:
    utc: str
    unix_seconds: int
    note: str | None
    times: list[LocalTime]


@tool(spec=SPECS / "convert_time_zone.json")
def convert_time_zone(
    moment: str | int,
    to_zones: list[str],
    from_zone: str = "UTC",
    ambiguous: Literal["earlier", "later"] = "earlier",
) -> Answer:
    zones = [zone_named(name) for name in to_zones]
    start, note = read_moment(moment, zone_named(from_zone), ambiguous)
    try:
        utc = start.astimezone(dt.UTC)
        times = [local_time(utc, zone) for zone in zones]
    except OverflowError:
        raise ValueError(f"{moment} is outside the years 1 to 9999 in one of the zones.") from None
    text = utc.isoformat().removesuffix("+00:00") + "Z"
    return Answer(utc=text, unix_seconds=math.floor(utc.timestamp()), note=note, times=times)


def read_moment(
    moment: str | int, zone: ZoneInfo, ambiguous: Literal["earlier", "later"]
) -> tuple[dt.datetime, str | None]:
    """The aware moment that is meant, and a note if it is ambiguous or does not exist.

    Raises:
        ValueError: it is not a date and time of ISO 8601.
    """
    if isinstance(moment, int):
        return dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=moment), None
    try:
        written = dt.datetime.fromisoformat(moment)
    except ValueError:
        raise ValueError(
            f"{moment!r} is not a date and time such as 2026-07-01T09:30 (ISO 8601)."
        ) from None
    if written.tzinfo is not None:
        return written, None
    local = written.replace(tzinfo=zone, fold=int(ambiguous == "later"))
    if local.utcoffset() == local.replace(fold=1 - local.fold).utcoffset():
        return local, None
    if not exists(local):
        return (
            local,
            f"{moment} does not exist in {zone.key}: the clocks skip it when they go forward.",
        )
    return local, f"{moment} happens twice in {zone.key}; the {ambiguous} one is used."


def exists(local: dt.datetime) -> bool:
    """Whether clocks ever show this local time: converted to UTC and back, it is unchanged."""
    back = local.astimezone(dt.UTC).astimezone(local.tzinfo)
    return back.replace(tzinfo=None) == local.replace(tzinfo=None)


def local_time(utc: dt.datetime, zone: ZoneInfo) -> LocalTime:
    """The local time in `zone` at `utc`."""
    local = utc.astimezone(zone)
    return LocalTime(
        zone=zone.key,
        local=local.isoformat(),
        weekday=WEEKDAYS[local.weekday()],
        offset=offset_of(local),
        abbreviation=local.tzname() or "",
        daylight_saving=is_daylight_saving(local),
    )
