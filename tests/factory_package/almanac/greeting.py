"""A greeting in the words of its configuration, written as a function."""

from typing import TypedDict

from toolshelf_tools import progress, tool


class Words(TypedDict, total=False):
    word: str


@tool
def greeting(name: str, *, configuration: Words) -> str:
    """Greet somebody."""
    progress(1, 1, "greeting")
    return f"{configuration.get('word', 'Hello')}, {name}!"
