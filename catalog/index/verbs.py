"""The actions of a tool, by the verbs in its name: a query with "delete" rarely means a tool that creates something."""

from __future__ import annotations

from collections.abc import Collection, Iterable
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
_ACTIONS: Final = {stem(verb): action for action, verbs in _VERBS.items() for verb in verbs.split()}
_READING: Final = frozenset({"get", "list", "search"})


def actions_of(tokens: Collection[str]) -> frozenset[str]:
    """The actions of the verbs among a name's tokens."""
    return frozenset(map(_ACTIONS.__getitem__, _ACTIONS.keys() & tokens))


def first_action_of(tokens: Iterable[str]) -> frozenset[str]:
    """The action that a query asks for: its first verb; further verbs mostly describe the object of the action."""
    return frozenset([action for token in tokens if (action := _ACTIONS.get(token))][:1])


def agreement(asked: frozenset[str], offered: frozenset[str]) -> float:
    """1 if the tool does what the query asks for, -1 if it does something else, 0 if that is unknown."""
    if not asked or not offered:
        return 0
    if asked & offered:
        return 1
    return 0.3 if asked <= _READING and offered & _READING else -1
