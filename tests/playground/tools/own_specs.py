"""Factories whose specs come from their definitions or their types."""

import os
import time
from dataclasses import dataclass


@dataclass
class Order:
    item: str
    count: int = 1


@dataclass
class Price:
    cents: int


class Priced:
    """What an order costs."""

    def call(self, request: Order) -> Price:
        return Price(len(request.item) * request.count)


class PricedFactory:
    def tool_id(self):
        return "priced"

    def create(self):
        return Priced()


class Plain:
    """Takes anything."""

    request_type = dict

    def call(self, request: dict) -> dict:
        return request


class PlainFactory:
    def tool_id(self):
        return "plain"

    def create(self) -> Plain:
        return Plain()


class Invalid:
    name = "invalid"
    description = "Its schema is wrong."
    parameters_schema = {"type": "nothing"}

    def call(self, request):
        return None


class InvalidFactory(PlainFactory):
    def tool_id(self):
        return "invalid"

    def create(self):
        return Invalid()


class UndescribedFactory(PlainFactory):
    def tool_id(self):
        return "undescribed"

    def create(self):
        return type("Undescribed", (), {"call": lambda self, request: None, "__doc__": None})()


class SlowFactory(PlainFactory):
    """Creating its tool never ends."""

    def tool_id(self):
        return "slow"

    def create(self):
        time.sleep(3600)


class FailingFactory(PlainFactory):
    """Creating its tool fails."""

    def tool_id(self):
        return "failing"

    def create(self):
        raise OSError(f"no connection with {os.environ.get('OWN_SPECS_KEY', 'no key')}")


class Leaky(Plain):
    def __init__(self):
        self.name = "leaky"
        self.description = f"It uses the key {os.environ.get('OWN_SPECS_KEY', 'no key')}."


class LeakyFactory(PlainFactory):
    """Its description contains a value of its environment."""

    def tool_id(self):
        return "leaky"

    def create(self):
        return Leaky()
