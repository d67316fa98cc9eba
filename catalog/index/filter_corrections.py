"""Corrections for a filter that does not exist: `parameter:city` is written `takes:city`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from catalog.index.filters import is_valid, write_filter
from toolspec.exports import FORMATS

# Other words for the names of filters.
_MEANT_BY: Final = {
    "takes": "take parameter parameters param params arg args argument arguments input inputs accepts field property",
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
}  # fmt: skip
_NAMES: Final = {
    other: name for name, others in _MEANT_BY.items() for other in (name, *others.split())
}
# Whole filters by words that are often tried as the value of another one: `is:runnable`,
# `has:openai`.
_BY_VALUE: Final = {
    "runnable": "is:runnable", "executable": "is:runnable", "installed": "is:runnable", "factory": "is:runnable",
    "mock": "-is:runnable", "readonly": "is:read-only", "read": "is:read-only", "delete": "is:destructive",
    "deprecated": "is:deprecated", "obsolete": "is:deprecated", "configurable": "is:configurable",
    "starred": "is:starred", "star": "is:starred", "favourite": "is:starred", "favorite": "is:starred",
    "mine": "owner:me", "assessed": "is:assessed", "judged": "is:assessed", "linted": "is:assessed",
    "score": "is:assessed",
    "example": "has:examples", "examples": "has:examples",
    "pass": "examples:pass", "passing": "examples:pass", "hold": "examples:pass",
    "return": "has:returns", "returns": "has:returns", "output": "has:returns", "response": "has:returns",
    "parameters": "has:parameters", "arguments": "has:parameters", "inputs": "has:parameters",
    "configuration": "needs:configuration", "config": "needs:configuration",
    **{key: f"usable:{key}" for key in FORMATS},
}  # fmt: skip
# The first of these that is possible is offered if nothing is closer.
_USUAL: Final = {
    "takes": "location", "returns": "temperature", "needs": "configuration", "has": "examples", "is": "deprecated",
    "deprecated": "yes", "toolkit": "github", "tag": "mail", "usable": "openai", "score": ">=90", "runnable": "yes",
    "examples": "pass", "owner": "me",
}  # fmt: skip


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


def filter_meant_by(name: str) -> str | None:
    """The name of the filter that `name` is, or means: "takes" for "param"."""
    return _NAMES.get(name.lower())


def unknown_name(written: str, name: str, value: str) -> FilterProblem:
    """The problem that there is no filter `name:`."""
    instead = next(_instead(name, value), "")
    if not instead:
        quoted = f'"{written.lstrip("-").replace(chr(34), "")}"'
        message = f"There is no filter `{name}:`. The filters are {_listed(_MEANT_BY)}. To find the text, quote it:"
        return FilterProblem(written, f"{message} `{quoted}`.", quoted)
    instead = _as_negative(written, instead)
    return FilterProblem(
        written, f"There is no filter `{name}:`. Write `{instead}` instead.", instead
    )


def wrong_value(written: str, name: str, value: str, reason: str) -> FilterProblem:
    """The problem that a filter does not take a value; `reason` is a sentence."""
    instead = _as_negative(written, next(_instead(name, value)))
    is_other = not instead.lstrip("-").startswith(f"{name}:")
    advice = f"Write `{instead}` instead." if is_other else f"For example, write `{instead}`."
    return FilterProblem(written, f"{reason} {advice}", instead)


def _instead(name: str, value: str) -> Iterator[str]:
    """Filters that may be meant by `name:value`, the likeliest first."""
    meant = _name_like(name)
    if meant and meant != name and is_valid(meant, value):
        yield write_filter(meant, value)
    folded = value.lower()
    if folded in _BY_VALUE:
        yield _BY_VALUE[folded]
    if meant:
        for close in _like(folded, _BY_VALUE):
            yield _BY_VALUE[close]
        yield f"{meant}:{_USUAL[meant]}"


def _name_like(name: str) -> str | None:
    """The filter with this name, or with one that is spelled similarly."""
    close = get_close_matches(name, _NAMES, n=1, cutoff=0.8)
    return _NAMES[close[0]] if close else None


def _like(value: str, known: Collection[str]) -> list[str]:
    beginnings = [one for one in known if len(value) > 1 and one.startswith(value)]
    return beginnings or get_close_matches(value, known, n=1, cutoff=0.7)


def _as_negative(written: str, instead: str) -> str:
    return f"-{instead}" if written.startswith("-") else instead


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}:`" for name in names)
