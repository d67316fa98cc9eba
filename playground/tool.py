"""The interfaces that a tool's author implements, under the name they had before the package `toolshelf-tools`."""

from toolshelf_tools import *  # noqa: F403  authors of tools import them from here
