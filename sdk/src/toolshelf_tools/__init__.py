"""Write tools for LLMs: the interfaces of LLM Tool Spec, ways to implement them, and tests.

    interfaces      what a tool and its factory are, definitions, errors, progress
    decorator       `@tool`: a factory from a typed function
    testing         check a factory against its spec and examples, as the playground runs it
    factories       import a factory by its reference, "module:attribute"
    spec            the spec of a factory, from its definition or its types
    type_conversion, pydantic_types, json_encoder
                    from JSON to the tool and back, as the playground does it
    calls           create and call a tool: a function, a coroutine function or a generator
    files           the files of a response

Importing this package loads only the standard library.
"""

from toolshelf_tools.decorator import tool
from toolshelf_tools.interfaces import (
    ConfigurableToolFactory,
    DefinedTool,
    Definition,
    File,
    Progress,
    ProgressListener,
    Schema,
    Tool,
    ToolDefinition,
    ToolError,
    ToolFactory,
    UnconfigurableToolFactory,
    listen_to_progress,
    progress,
)

__all__ = [
    "ConfigurableToolFactory",
    "DefinedTool",
    "Definition",
    "File",
    "Progress",
    "ProgressListener",
    "Schema",
    "Tool",
    "ToolDefinition",
    "ToolError",
    "ToolFactory",
    "UnconfigurableToolFactory",
    "listen_to_progress",
    "progress",
    "tool",
]
