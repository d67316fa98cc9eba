"""Tools whose authors name their types."""

from __future__ import annotations

import datetime as dt
import enum
import uuid
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, TypedDict

from pydantic import BaseModel, SecretStr

from toolshelf_tools import File


class Unit(enum.Enum):
    CELSIUS = "C"
    FAHRENHEIT = "F"


@dataclass
class Order:
    """A request as a dataclass."""

    item: str
    price: Decimal
    count: int = 1
    note: str | None = None


class Place(TypedDict):
    city: str
    lines: list[str]


class Echo:
    def __init__(self, request_type):
        self.request_type = request_type

    def call(self, request):
        return {"type": type(request).__name__, "repr": repr(request)}


class Settings(BaseModel):
    unit: Unit = Unit.CELSIUS


class Returns:
    """Gives a value of a type that JSON does not have, by the name in its request."""

    response_type = dict[str, dt.datetime | dt.timedelta | uuid.UUID | Decimal | Unit]

    def call(self, request):
        return {
            "at": dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC),
            "lasts": dt.timedelta(minutes=90),
            "id": uuid.UUID(int=5),
            "price": Decimal("19.90"),
            "unit": Unit.FAHRENHEIT,
        }


class ReturnsCollections:
    """Gives collections whose keys and items JSON does not have."""

    def call(self, request: dict[str, Any]) -> dict[int, set[Decimal] | Path | SecretStr]:
        return {1: {Decimal("0.50")}, 2: Path("a/b"), 3: SecretStr("hidden")}


class ReturnsOrder:
    """Gives a dataclass, without saying so."""

    def call(self, request):
        return [Order("a", Decimal("0.10"))]


@dataclass
class Report:
    title: str
    chart: File


class ReturnsReport:
    def call(self, request: dict[str, Any]) -> Report:
        return Report("Sales", File(b"GIF89a"))


class EchoesConfiguration:
    def __init__(self, settings):
        self.settings = settings

    def call(self, request):
        return {"type": type(self.settings).__name__, "repr": repr(self.settings)}


def factory(tool):
    class Factory:
        def tool_id(self):
            return "typed"

        def create(self):
            return tool

    return Factory()


order = factory(Echo(Order))
place = factory(Echo(Place))
plain = factory(Echo(dict))
numbers = factory(Echo(list[Decimal]))
returns = factory(Returns())
returns_collections = factory(ReturnsCollections())
returns_order = factory(ReturnsOrder())
report = factory(ReturnsReport())


class Configurable:
    configuration_type = Settings

    def tool_id(self):
        return "configurable"

    def create(self, configuration):
        return EchoesConfiguration(configuration)


class ConfigurableByAnnotation:
    def tool_id(self):
        return "configurable-by-annotation"

    def create(self, configuration: Settings):
        return EchoesConfiguration(configuration)


class PlainConfigurable:
    def tool_id(self):
        return "plain-configurable"

    def create(self, configuration):
        return EchoesConfiguration(configuration)
