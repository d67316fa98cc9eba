"""Two tools that name types; one tells which types its process knew when it began."""

from dataclasses import dataclass
from typing import Any


@dataclass
class Question:
    text: str = ""


@dataclass
class Neighbour:
    number: int = 0


class Asked:
    def call(self, request: Question) -> dict[str, Any]:
        from toolshelf_tools import pydantic_types

        return {"known": sorted(kind.__name__ for kind, _ in pydantic_types._adapters)}


class Beside:
    def call(self, request: Neighbour) -> dict[str, Any]:
        return {}


class Factory:
    def tool_id(self):
        return "knowing"

    def create(self):
        return Asked()
