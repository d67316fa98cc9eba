"""The interfaces that a tool's author implements, under the name they had before the package `toolshelf-tools`."""

from toolshelf_tools import (  # noqa: F401  authors of tools import them from here
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
