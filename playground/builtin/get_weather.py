"""FAKE weather: the spec of LLM Tool Spec's own example, served by a tool that invents its responses.

It queries no service. The weather of a place never changes: New York has that of the spec's
example, and all other places get theirs from the letters of their names.
"""

from __future__ import annotations

import hashlib
from typing import Literal

from typing_extensions import TypedDict

from playground.builtin.rounding import rounded
from playground.builtin.shipped import SPECS
from playground.runner.log import log
from toolshelf_tools import tool

CONDITIONS = ("Sunny", "Partly cloudy", "Cloudy", "Foggy", "Rain", "Thunderstorm", "Snow")
COLDEST_C, WARMEST_C = -10, 35
KNOWN = {"new york": ("Sunny", 28)}


class Configuration(TypedDict, total=False):
    temperatureUnit: Literal["C", "F"]


class Weather(TypedDict):
    condition: str
    temperature: int | float
    temperatureUnit: Literal["C", "F"]


@tool(spec=SPECS / "get-weather.json")
def get_weather(location: str = "", *, configuration: Configuration) -> Weather:
    log(f"FAKE weather for {location!r}: it is made up.")
    unit = configuration.get("temperatureUnit", "C")
    condition, celsius = made_up_weather(location)
    temperature = celsius if unit == "C" else rounded(celsius * 9 / 5 + 32, significant_digits=6)
    return {"condition": condition, "temperature": temperature, "temperatureUnit": unit}


def made_up_weather(location: str) -> tuple[str, int]:
    """A condition and a temperature in degrees Celsius, always the same for one place."""
    place = " ".join(location.casefold().split())
    if place in KNOWN:
        return KNOWN[place]
    digest = hashlib.sha256(place.encode(errors="replace")).digest()
    return CONDITIONS[digest[0] % len(CONDITIONS)], COLDEST_C + digest[1] % (
        WARMEST_C - COLDEST_C + 1
    )
