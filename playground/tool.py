"""The interfaces that a tool's author implements, under the name they had before the package `toolshelf-tools`."""

from toolshelf_tools import (
    ConfigurableToolFactory,
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
]
