"""Calling a built-in tool in this process, its values converted as a run converts them."""

import json
from functools import cache
from typing import Any

from playground.builtin import FACTORIES
from toolshelf_tools.calls import Caller
from toolshelf_tools.factories import load_factory
from toolshelf_tools.files import read_file
from toolshelf_tools.type_conversion import (
    make_plain,
    read_value,
    request_type,
    response_type,
)
from toolspec.text import reader


@cache
def factories() -> dict[str, Any]:
    """The built-in factories by the id of their tool."""
    loaded = [load_factory(reference) for reference in FACTORIES]
    return {factory.tool_id(): factory for factory in loaded}


def make_tool(tool_id: str, configuration: dict[str, Any] | None = None) -> Any:
    with Caller() as caller:
        return caller.create_tool(factories()[tool_id], reader.dumps(configuration or {}))


def call_tool(tool_id: str, parameters: Any, *, configuration: dict[str, Any] | None = None) -> Any:
    """The response of the tool, read back from JSON: only JSON values are in it."""
    tool = make_tool(tool_id, configuration)
    request = read_value(reader.dumps(parameters), request_type(tool), what="parameters")
    response = make_plain(tool.call(request), response_type(tool))
    return json.loads(json.dumps(response, allow_nan=False, default=describe_file))


def describe_file(file: Any) -> dict[str, Any]:
    """The value of a file in the response."""
    return read_file(file, "", max_bytes=2**20).description()
