"""The parameters of a URL that stand for filters of a query: `?examples=1` means `?q=has:examples`.

Pages and the API accept them; a query with the filters is all that a search knows.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any, Final

from django.http import QueryDict

from catalog.index.filters import CHOICES, write_filter
from catalog.tools.indexing import distinct_tags
from toolspec.catalog_names import MAX_TAGS
from toolspec.exports import FORMATS
from toolspec.lint.assessment import GRADES

_YES_OR_NO: Final[Mapping[str, tuple[str, str]]] = {
    "runnable": ("is:runnable", "-is:runnable"),
    "configurable": ("needs:configuration", "needs:nothing"),
    "examples": ("has:examples", "-has:examples"),
    "returns": ("has:returns", "-has:returns"),
    "deprecated": ("is:deprecated", "-is:deprecated"),
    "examples_pass": ("examples:pass", "-examples:pass"),
    "examples_hold": ("examples:pass", "-examples:pass"),  # its name until version 0.2
    "starred": ("is:starred", "-is:starred"),
}
FILTERS_OF_GRADES: Final[Mapping[int, tuple[str, ...]]] = {
    90: ("score:>=90",),
    70: ("score:>=70", "score:<90"),
    0: ("score:<70",),
}
PARAMETERS: Final = frozenset(
    [*_YES_OR_NO, "usable", "grade", "score", "toolkit", "tag", "owner"],
)


def read_parameters(query: QueryDict) -> dict[str, Any]:
    """The parameters in a URL, for `add_filters`.

    It usually comes from a link, so invalid ones are ignored.
    """
    return {
        **{name: CHOICES.get(query.get(name, "")) for name in _YES_OR_NO},
        "usable": query.getlist("usable"),
        "grade": _read_number(query.get("grade"), [lowest for lowest, _ in GRADES]),
        "score": _read_number(query.get("score"), range(101)),
        "toolkit": query.get("toolkit"),
        "tag": query.getlist("tag"),
        "owner": query.get("owner"),
    }


def add_filters(words: str, parameters: Mapping[str, Any]) -> str:
    """`words` after the filters that `parameters` stand for.

    Args:
        words: a query.
        parameters: {"runnable"?: true, "usable"?: ["openai"], "grade"?: 90, "score"?: 95,
            "toolkit"?: "mail", "tag"?: ["office"], "owner"?: "ada", ...}; None and empty values do
            not filter.
    """
    return " ".join(filter(None, [*_write_filters(parameters), words]))


def _write_filters(parameters: Mapping[str, Any]) -> Iterator[str]:
    for name, (yes, no) in _YES_OR_NO.items():
        if parameters.get(name) is True:
            yield yes
        elif parameters.get(name) is False:
            yield no
    for key in FORMATS:
        if key in parameters.get("usable", ()):
            yield f"usable:{key}"
    grade, score = parameters.get("grade"), parameters.get("score")
    if grade is not None:
        yield from FILTERS_OF_GRADES[int(grade)]
    if score is not None:
        yield f"score:>={score}"
    if toolkit := parameters.get("toolkit"):
        yield write_filter("toolkit", toolkit)
    for tag in distinct_tags(parameters.get("tag", ()))[:MAX_TAGS]:
        yield write_filter("tag", tag)
    if owner := parameters.get("owner"):
        yield write_filter("owner", owner)


def _read_number(text: str | None, among: Container[int]) -> int | None:
    """The number in `text` if it is one of `among`, else None."""
    if not text or not text.isascii() or not text.isdecimal() or len(text) > len("100"):
        return None
    return int(text) if int(text) in among else None
