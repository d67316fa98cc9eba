"""The actions of a tool, by the verbs in its name.

A query with "delete" rarely means a tool that creates something.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice
from typing import Final

from catalog.index.stemmer import stem

_VERBS: Final = {
    "get": "get fetch read retrieve show view describe display see",
    "list": "list enumerate browse",
    "search": "search find query lookup discover",
    "create": "create add make new insert generate build post put",
    "delete": "delete remove drop erase destroy purge clear uninstall",
    "update": "update edit modify change set patch rename replace alter",
    "start": "start run execute launch trigger resume",
    "stop": "stop cancel abort terminate kill pause",
    "restart": "restart reboot retry rerun",
    "copy": "clone copy duplicate",
    "move": "move transfer",
    "send": "send reply forward",
    "import": "upload import",
    "export": "download export",
    "install": "install deploy",
    "convert": "convert translate",
    "calculate": "calculate compute",
    "compare": "compare diff",
    "check": "validate verify check test",
    "restore": "restore",
    "diagnose": "troubleshoot diagnose debug",
}
_ACTIONS: Final[dict[str, str]] = {}
for _action, _synonyms in _VERBS.items():
    _ACTIONS.update(dict.fromkeys(map(stem, _synonyms.split()), _action))
_READING: Final = frozenset({"get", "list", "search"})


def actions_of(tokens: Collection[str]) -> frozenset[str]:
    """The actions of the verbs among a name's tokens."""
    return frozenset(map(_ACTIONS.__getitem__, _ACTIONS.keys() & tokens))


def first_action_of(tokens: Iterable[str]) -> frozenset[str]:
    """The action that a query asks for: its first verb; others mostly describe the object."""
    verbs = filter(_ACTIONS.get, tokens)
    return actions_of(list(islice(verbs, 1)))


def compare_actions(of_query: frozenset[str], of_tool: frozenset[str]) -> float:
    """1 if the tool does what the query asks for, -1 if it does something else, 0 if unknown."""
    if not of_query or not of_tool:
        return 0
    if of_query & of_tool:
        return 1
    return 0.3 if of_query <= _READING and of_tool & _READING else -1
