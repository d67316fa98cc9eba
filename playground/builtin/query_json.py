"""Select and reshape parts of a JSON document with JMESPath."""

from __future__ import annotations

from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError
from typing_extensions import TypedDict

from playground.builtin.shipped import shipped
from toolshelf_tools import DefinedTool, Tool

JSON_TYPES = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


class Selected(TypedDict):
    result: Any
    type: str


class QueryJson(DefinedTool):
    definition = shipped("query_json")
    request_type = dict

    def call(self, request: dict[str, Any]) -> Selected:
        try:
            result = jmespath.search(request["expression"], request["document"])
        except JMESPathError as error:
            raise ValueError(f"The expression cannot be evaluated. {error}") from None
        except RecursionError:
            raise ValueError("The expression is nested too deeply.") from None
        if type(result) not in JSON_TYPES:
            raise ValueError(
                "The expression selects a reference (&...), which is not a JSON value."
            )
        return {"result": result, "type": JSON_TYPES[type(result)]}


class QueryJsonFactory:
    def tool_id(self) -> str:
        return QueryJson.definition.id

    def create(self) -> Tool[dict[str, Any], Selected]:
        return QueryJson()
