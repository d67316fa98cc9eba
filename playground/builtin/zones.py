"""The IANA time zones by name, and the offset and daylight saving time of a local time."""

from __future__ import annotations

import datetime as dt
from difflib import get_close_matches
from functools import cache
from importlib import resources
from zoneinfo import ZoneInfo

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@cache
def zone_names() -> frozenset[str]:
    """Every zone of the package `tzdata`: the same on every machine, where system folders differ."""
    return frozenset(
        resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8").split()
    )


def zone_named(name: str) -> ZoneInfo:
    """The zone `name`.

    Raises:
        ValueError: there is no such zone; the message names similar ones.
    """
    if name in zone_names():
        return ZoneInfo(name)
    similar = get_close_matches(name, zone_names(), n=3)
    hint = (
        f" Similar: {', '.join(similar)}."
        if similar
        else " Zones have names such as Europe/Berlin."
    )
    raise ValueError(f"There is no IANA time zone {name!r}.{hint}")


def offset_of(moment: dt.datetime) -> str:
    """The offset of an aware `moment` from UTC: "+05:45", with seconds if old local mean time has them."""
    return moment.isoformat(timespec="microseconds")[26:]


def is_daylight_saving(moment: dt.datetime) -> bool:
    """Whether daylight saving time is in force at an aware `moment`."""
    return bool(moment.dst())
