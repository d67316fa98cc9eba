"""Tools that the tests of the package check."""

import asyncio
import datetime as dt
import enum
from collections.abc import AsyncIterator, Generator, Iterator
from dataclasses import dataclass
from typing import Annotated, Literal, TypedDict

from pydantic import BaseModel, Field

from toolshelf_tools import ToolError, progress, tool


class Unit(enum.Enum):
    CELSIUS = "C"
    FAHRENHEIT = "F"


class Place(BaseModel):
    city: str = Field(description="Its name.")
    country: str | None = None


class Settings(TypedDict):
    key: Annotated[str, Field(json_schema_extra={"writeOnly": True})]


@dataclass
class Weather:
    at: dt.datetime
    temperature: float


EXAMPLES = [
    {
        "description": "Oslo in winter",
        "parameters": {"place": {"city": "Oslo"}, "at": "2026-01-01T00:00:00Z"},
        "returnValue": {"at": "2026-01-01T00:00:00Z", "temperature": -3},
    }
]


@tool(id="get_weather", examples=EXAMPLES, configuration=Settings)
async def weather(
    place: Place,
    at: dt.datetime,
    unit: Unit = Unit.CELSIUS,
    stations: list[str] = [],  # noqa: B006
    hours: Annotated[int, Field(ge=1, le=48)] = 24,
    kind: Literal["measured", "forecast"] | None = None,
    *,
    configuration=None,
) -> Weather:
    """Look up the weather.

    It is that of the
    nearest station.

    Args:
        place: Where.
        at: The time,
            in UTC.
        unit (Unit): Of the temperature.

    Returns:
        The weather there.

    Raises:
        ToolError: the place is unknown.
    """
    await asyncio.sleep(0)
    if place.city == "Atlantis":
        raise ToolError("There is no weather in Atlantis.")
    stations.append(configuration["key"])
    assert stations == ["k"]
    return Weather(at, -3 if unit is Unit.CELSIUS else 26.6)


@tool
def count(end: int) -> Iterator[int]:
    """Count to a number."""
    for number in range(1, end + 1):
        progress(number, end)
        yield number


@tool
async def count_slowly(end: int) -> AsyncIterator[int]:
    """Count to a number."""
    for number in range(1, end + 1):
        await asyncio.sleep(0)
        yield number


@tool
def total(numbers: list[float]) -> Generator[float, None, str]:
    """Add numbers."""
    result = 0.0
    for number in numbers:
        result += number
        yield result
    return f"{result:g}"


@tool(
    examples=[
        {"parameters": {"text": "a"}, "returnValue": "B"},
        {"description": "no text", "parameters": {}},
    ]
)
def wrong(text: str) -> str:
    """Return a text in upper case, which its examples do not know."""
    return text.upper()


@tool(
    examples=[
        {"parameters": {"a": 1, "b": 0}},
        {"parameters": {"a": 1, "b": 2}, "returnValue": 0.5},
    ]
)
def divide(a: float, b: float) -> float:
    """Divide a number by another."""
    return a / b
