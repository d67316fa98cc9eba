"""The base classes of the schemas."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Final, Generic, Literal, Self, TypeVar

from django.contrib.auth.base_user import AbstractBaseUser
from django.db.models import QuerySet
from ninja import Schema
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from toolshelf_core.paging import read_page
from toolspec.exports import FORMATS

MAX_NUMBER: Final = 2**31 - 1  # of a revision


class Out(BaseModel):
    """A part of a response.

    A field whose name differs from the object's attribute has a `validation_alias`.

    It is not ninja's `Schema`, which looks up each attribute in Python and takes three times as
    long: 58 instead of 18 µs for a tool, too long for lists.
    """

    model_config = ConfigDict(from_attributes=True)

    @classmethod
    def of(cls, source: object, /, **more: object) -> Self:
        """From the attributes of `source`; `more` adds attributes, or replaces them."""
        return cls.model_validate(_Extended(source, more) if more else source)


Item = TypeVar("Item", bound=Out)


class Page(Out, Generic[Item]):
    """One page of a list. A subclass gives it the name that the OpenAPI document has."""

    items: list[Item]
    next: str | None = Field(description="The cursor of the next page; null on the last.")

    @classmethod
    def read(
        cls,
        rows: QuerySet[Any],
        query: CursorQuery | PageQuery,
        key: str = "-pk",
        convert: Callable[[Any], object] = lambda row: row,
    ) -> Self:
        """The page of `rows` that `query` asks for, in the order of `key`.

        `convert` makes an item of each row.
        """
        page_rows, following = read_page(rows, query.cursor, query.limit, key)
        return cls.model_validate({"items": list(map(convert, page_rows)), "next": following})


class CursorQuery(Schema):
    """Continues a list that is ordered by a number."""

    limit: int = Field(50, ge=1, le=100)
    cursor: int | None = Field(
        None, ge=1, le=MAX_NUMBER, description="`next` of the previous page."
    )


class PageQuery(Schema):
    limit: int = Field(50, ge=1, le=100)
    cursor: str | None = Field(None, max_length=300, description="`next` of the previous page.")


class In(Schema):
    """The body of a request.

    A member that it does not declare is refused, so that no typing error is ignored.
    """

    model_config = ConfigDict(extra="forbid")


class _Extended:
    """An object with additional attributes."""

    def __init__(self, source: object, more: dict[str, object]) -> None:
        self.__dict__.update(more)
        self.__dict__["_source"] = source

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_source"], name)


def with_example(example: dict[str, Any]) -> ConfigDict:
    """The configuration of a schema that documents this example."""
    return ConfigDict(json_schema_extra={"example": example})


def _read_user_name(user: object) -> str | None:
    return user.get_username() if isinstance(user, AbstractBaseUser) else None


def _replace_empty(value: object) -> object:
    return None if value == "" else value


def cut_difference(text: str) -> str:
    """The beginning of a long unified diff, with a last line that says how long it is."""
    if len(text) <= MAX_DIFFERENCE_CHARACTERS:
        return text
    start = text[:MAX_DIFFERENCE_CHARACTERS]
    if "\n" in start:
        start = start.rpartition("\n")[0]
    return (
        f"{start}\n\\ The rest is left out: the whole difference has {len(text):,} characters. "
        "Get both texts to compare them.\n"
    )


MAX_DIFFERENCE_CHARACTERS: Final = 1_000_000  # a response has at most some 2 MB

DifferenceText = Annotated[str, AfterValidator(cut_difference)]
UserName = Annotated[str | None, BeforeValidator(_read_user_name)]
EmptyIsNone = BeforeValidator(_replace_empty)
if TYPE_CHECKING:
    Format = str
else:
    Format = Literal[*FORMATS]


OptionalText = Annotated[str | None, EmptyIsNone]
