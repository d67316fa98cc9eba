"""FAKE weather: the spec of LLM Tool Spec's own example, served by a tool that invents its responses.

It asks nobody. A place has the same weather for ever: New York's is the one of the spec's example, any other's comes
from the letters of its name.
"""

from __future__ import annotations

import hashlib
from typing import Literal

from typing_extensions import TypedDict

from playground.builtin.rounding import rounded
from playground.builtin.shipped import ShippedTool, log, shipped
from playground.tool import Tool

CONDITIONS = ("Sunny", "Partly cloudy", "Cloudy", "Foggy", "Rain", "Thunderstorm", "Snow")
COLDEST_C, WARMEST_C = -10, 35
KNOWN = {"new york": ("Sunny", 28)}


class Place(TypedDict, total=False):
    location: str


class Configuration(TypedDict, total=False):
    temperatureUnit: Literal["C", "F"]


class Weather(TypedDict):
    condition: str
    temperature: int | float
    temperatureUnit: Literal["C", "F"]


class GetWeather(ShippedTool):
    definition = shipped("get-weather")
    request_type = Place

    def __init__(self, unit: Literal["C", "F"]) -> None:
        self.unit = unit

    def call(self, request: Place) -> Weather:
        location = request.get("location", "")
        log(f"FAKE weather for {location!r}: it is made up, nobody was asked.")
        condition, celsius = made_up_weather(location)
        temperature = celsius if self.unit == "C" else rounded(celsius * 9 / 5 + 32, significant_digits=6)
        return {"condition": condition, "temperature": temperature, "temperatureUnit": self.unit}


def made_up_weather(location: str) -> tuple[str, int]:
    """A condition and a temperature in degrees Celsius, always the same for one place."""
    place = " ".join(location.casefold().split())
    if place in KNOWN:
        return KNOWN[place]
    digest = hashlib.sha256(place.encode(errors="replace")).digest()
    return CONDITIONS[digest[0] % len(CONDITIONS)], COLDEST_C + digest[1] % (WARMEST_C - COLDEST_C + 1)


class GetWeatherFactory:
    configuration_type = Configuration

    def tool_id(self) -> str:
        return GetWeather.definition.id

    def create(self, configuration: Configuration) -> Tool[Place, Weather]:
        return GetWeather(configuration.get("temperatureUnit", "C"))
