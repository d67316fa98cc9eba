"""Corrections for a filter that does not exist: `parameter:city` is written `takes:city`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from catalog.index.filters import is_valid, write_filter
from toolspec.exports import FORMATS


def _invert(words: Mapping[str, str]) -> dict[str, str]:
    """The key of each of these words; the words of a key are separated by spaces."""
    keys = {}
    for key, others in words.items():
        keys.update(dict.fromkeys(others.split(), key))
    return keys


# Names of filters, and other words for them.
_OTHER_NAMES: Final = {
    "takes": """
        take parameter parameters param params arg args argument arguments input inputs accepts
        field property
    """,
    "returns": "return output outputs response responses result results gives",
    "needs": "need config configuration configurable requires require required secret secrets env",
    "has": "with includes contains",
    "is": "status state standing",
    "deprecated": "obsolete",
    "toolkit": "toolkits server servers group kit namespace package collection in from",
    "tag": "tags label labels topic topics category categories keyword keywords",
    "usable": "format formats works compatible export exports provider for model",
    "score": "scores lint grade quality rating points",
    "runnable": "run runs running executable installed callable",
    "examples": "example",
    "owner": "owners owned by user author",
}
_NAMES: Final = {**_invert(_OTHER_NAMES), **{name: name for name in _OTHER_NAMES}}
# Words that are often tried as the value of another filter: `is:runnable`, `has:openai`.
_VALUES: Final = {
    "is:runnable": "runnable executable installed factory",
    "-is:runnable": "mock",
    "is:read-only": "readonly read",
    "is:destructive": "delete",
    "is:deprecated": "deprecated obsolete",
    "is:configurable": "configurable",
    "is:starred": "starred star favourite favorite",
    "owner:me": "mine",
    "is:assessed": "assessed judged linted score",
    "has:examples": "example examples",
    "examples:pass": "pass passing hold",
    "has:returns": "return returns output response",
    "has:parameters": "parameters arguments inputs",
    "needs:configuration": "configuration config",
    **{f"usable:{key}": key for key in FORMATS},
}
_FILTERS_BY_VALUE: Final = _invert(_VALUES)
# Offered if nothing is closer.
_USUAL_VALUES: Final = {
    "takes": "location",
    "returns": "temperature",
    "needs": "configuration",
    "has": "examples",
    "is": "deprecated",
    "deprecated": "yes",
    "toolkit": "github",
    "tag": "mail",
    "usable": "openai",
    "score": ">=90",
    "runnable": "yes",
    "examples": "pass",
    "owner": "me",
}


@dataclass(frozen=True, slots=True)
class FilterProblem:
    """A filter that finds nothing because it does not exist, or does not take such a value.

    Attributes:
        written: as in the query: `has:runnable`.
        message: the error and the remedy, as sentences; code is in backticks.
        instead: what to write instead: `is:runnable`; "" if only somebody who has signed in may use
            the filter.
    """

    written: str
    message: str
    instead: str

    @property
    def instead_is_filter(self) -> bool:
        """Whether `instead` is a filter that may be meant; otherwise it searches for the text."""
        return not self.instead.startswith('"')


SIGN_IN_FIRST: Final = FilterProblem(
    "is:starred", "Sign in to use `is:starred` and `owner:me`.", ""
)


def find_filter(name: str) -> str | None:
    """The name of the filter that `name` is, or means: "takes" for "param"."""
    return _NAMES.get(name.lower())


def explain_unknown_name(written: str, name: str, value: str) -> FilterProblem:
    """The problem that there is no filter `name:`."""
    reason = f"There is no filter `{name}:`."
    instead = _suggest(name, value)
    if instead:
        instead = _copy_minus(written, instead)
        return FilterProblem(written, f"{reason} Write `{instead}` instead.", instead)
    text = written.lstrip("-").replace('"', "")
    instead = f'"{text}"'
    names = ", ".join(f"`{name}:`" for name in _OTHER_NAMES)
    advice = f"The filters are {names}. To find the text, quote it: `{instead}`."
    return FilterProblem(written, f"{reason} {advice}", instead)


def explain_wrong_value(written: str, name: str, value: str, reason: str) -> FilterProblem:
    """The problem that a filter does not take a value; `reason` is a sentence."""
    instead = _copy_minus(written, _suggest(name, value))
    if instead.lstrip("-").startswith(f"{name}:"):
        advice = f"For example, write `{instead}`."
    else:
        advice = f"Write `{instead}` instead."
    return FilterProblem(written, f"{reason} {advice}", instead)


def _suggest(name: str, value: str) -> str:
    """The filter that `name:value` most likely means; "" if neither is similar to anything."""
    similar_names = get_close_matches(name, _NAMES, n=1, cutoff=0.8)
    meant = _NAMES[similar_names[0]] if similar_names else ""
    if meant and meant != name and is_valid(meant, value):
        return write_filter(meant, value)
    lower = value.lower()
    if lower in _FILTERS_BY_VALUE:
        return _FILTERS_BY_VALUE[lower]
    if not meant:
        return ""
    if similar_value := _find_similar_value(lower):
        return _FILTERS_BY_VALUE[similar_value]
    return f"{meant}:{_USUAL_VALUES[meant]}"


def _find_similar_value(value: str) -> str | None:
    """A word of `_FILTERS_BY_VALUE` that begins with `value`, or is spelled similarly."""
    if len(value) > 1:
        for word in _FILTERS_BY_VALUE:
            if word.startswith(value):
                return word
    return next(iter(get_close_matches(value, _FILTERS_BY_VALUE, n=1, cutoff=0.7)), None)


def _copy_minus(written: str, instead: str) -> str:
    return f"-{instead}" if written.startswith("-") else instead
