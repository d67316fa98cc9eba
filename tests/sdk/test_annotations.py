"""The types that `@tool` reads and writes: the spec made from an annotation accepts each value of it."""

import collections
import datetime as dt
import enum
import ipaddress
import json
import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, NewType, Optional, Union

import pytest
from pydantic import (
    AnyUrl,
    AwareDatetime,
    Base64Bytes,
    BaseModel,
    ByteSize,
    ConfigDict,
    EmailStr,
    Field,
    HttpUrl,
    Json,
    NaiveDatetime,
    PlainSerializer,
    PositiveInt,
    RootModel,
    Secret,
    SecretStr,
)
from typing_extensions import TypedDict

from toolshelf_tools import File, tool
from toolshelf_tools.spec import make_spec
from toolshelf_tools.testing import call
from toolspec.schema.validation import compile_schema
from toolspec.text.reader import loads

pytestmark = pytest.mark.unit


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Access(enum.IntFlag):
    READ = 1
    WRITE = 2


class Size(enum.Enum):
    SMALL = Decimal("0.5")


class Corner(enum.Enum):
    FIRST = (0, 0)


@dataclass
class Price:
    amount: Decimal
    until: dt.date


class Stay(TypedDict):
    nights: int
    lasts: dt.timedelta


class Point(NamedTuple):
    x: int
    y: Decimal = Decimal(0)


class Everything(BaseModel):
    """A model with the types that JSON does not have."""

    price: Price
    stay: Stay
    tags: frozenset[str]
    by_level: dict[Level, Color]
    level: Level
    at: dt.datetime
    token: SecretStr
    raw: bytes
    home: Path
    network: ipaddress.IPv4Network
    link: HttpUrl
    point: Point


class Login(BaseModel):
    token: Annotated[SecretStr, Field(min_length=20)]


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)

    at: dt.datetime
    numbers: set[int]


class Renamed(BaseModel):
    days: dict[dt.date, int] = Field(alias="byDay")


class Numbers(RootModel[list[Decimal]]):
    pass


UserId = NewType("UserId", int)

MORNING = dt.datetime(2026, 3, 1, 6, 30)  # without an offset
EVERYTHING = Everything(
    price=Price(Decimal("19.90"), dt.date(2026, 3, 1)),
    stay={"nights": 2, "lasts": dt.timedelta(days=400, seconds=3605.5)},
    tags=frozenset({"a"}),
    by_level={Level.LOW: Color.RED},
    level=Level.HIGH,
    at=MORNING,
    token="a secret",
    raw=b"raw",
    home=Path("home"),
    network="10.0.0.0/8",
    link="https://example.org/a",
    point=Point(1, Decimal("0.5")),
)
EVERYTHING_AS_JSON = {
    "price": {"amount": "19.90", "until": "2026-03-01"},
    "stay": {"nights": 2, "lasts": "P1Y35DT1H5.5S"},
    "tags": ["a"],
    "by_level": {"1": "red"},
    "level": 2,
    "at": "2026-03-01T06:30:00",
    "token": "**********",
    "raw": "raw",
    "home": "home",
    "network": "10.0.0.0/8",
    "link": "https://example.org/a",
    "point": [1, "0.5"],
}

# An annotation, a value, and the value as JSON.
BOTH_WAYS = [
    (bool, True, True),
    (None, None, None),
    (complex, 1 + 2j, "1+2j"),
    (Decimal, Decimal("19.90"), "19.90"),
    (Decimal, Decimal("1E-20"), "1E-20"),
    (Fraction, Fraction(1, 3), "1/3"),
    (dt.date, dt.date(2026, 3, 1), "2026-03-01"),
    (dt.datetime, MORNING, "2026-03-01T06:30:00"),
    (dt.datetime, MORNING.replace(tzinfo=dt.UTC), "2026-03-01T06:30:00Z"),
    (AwareDatetime, MORNING.replace(tzinfo=dt.UTC), "2026-03-01T06:30:00Z"),
    (NaiveDatetime, MORNING.replace(microsecond=5), "2026-03-01T06:30:00.000005"),
    (dt.time, dt.time(6, 30, tzinfo=dt.UTC), "06:30:00Z"),
    (dt.timedelta, dt.timedelta(seconds=0.5), "PT0.5S"),
    (dt.timedelta, -dt.timedelta(days=1, seconds=3605), "-P1DT1H5S"),
    (uuid.UUID, uuid.UUID(int=5), "00000000-0000-0000-0000-000000000005"),
    (Color, Color.RED, "red"),
    (Level, Level.HIGH, 2),
    (Access, Access.READ | Access.WRITE, 3),
    (Literal["a", 1, True], 1, 1),
    (ipaddress.IPv4Address, ipaddress.ip_address("10.0.0.1"), "10.0.0.1"),
    (ipaddress.IPv6Interface, ipaddress.ip_interface("fe80::1/64"), "fe80::1/64"),
    (re.Pattern[str], re.compile("(?P<name>a)"), "(?P<name>a)"),
    (tuple[int, Decimal], (1, Decimal("0.5")), [1, "0.5"]),
    (tuple[Decimal, ...], (Decimal("0.5"),), ["0.5"]),
    (set[str], {"a"}, ["a"]),
    (collections.deque[int], collections.deque([1, 2]), [1, 2]),
    (Sequence[uuid.UUID], [uuid.UUID(int=5)], ["00000000-0000-0000-0000-000000000005"]),
    (list[bytes], [b"raw"], ["raw"]),
    (collections.Counter[str], collections.Counter("aab"), {"a": 2, "b": 1}),
    (collections.OrderedDict[int, str], collections.OrderedDict({1: "a"}), {"1": "a"}),
    (collections.defaultdict[str, set[int]], collections.defaultdict(set, a={1}), {"a": [1]}),
    (dict[str, Any], {"a": [1, None]}, {"a": [1, None]}),
    (dict[bool, str], {True: "a"}, {"true": "a"}),
    (dict[float, str], {1.5: "a"}, {"1.5": "a"}),
    (dict[uuid.UUID, int], {uuid.UUID(int=5): 1}, {"00000000-0000-0000-0000-000000000005": 1}),
    (dict[dt.datetime, int], {MORNING: 1}, {"2026-03-01T06:30:00": 1}),
    (dict[dt.timedelta, int], {dt.timedelta(seconds=0.5): 1}, {"PT0.5S": 1}),
    (dict[Color, int], {Color.RED: 1}, {"red": 1}),
    (dict[Level, int], {Level.LOW: 1}, {"1": 1}),
    (dict[HttpUrl, int], {HttpUrl("https://example.org/"): 1}, {"https://example.org/": 1}),
    (dict[ipaddress.IPv4Address, int], {ipaddress.ip_address("10.0.0.1"): 1}, {"10.0.0.1": 1}),
    (dict[PositiveInt, int], {1: 2}, {"1": 2}),
    (Mapping[int, set[Decimal]], {1: {Decimal(2)}}, {"1": ["2"]}),
    (int | Decimal, Decimal("0.5"), "0.5"),
    (Optional[dt.timedelta], None, None),  # noqa: UP045  as people write it
    (Union[uuid.UUID, dict[int, str]], {1: "a"}, {"1": "a"}),  # noqa: UP007
    (
        Price,
        Price(Decimal("19.90"), dt.date(2026, 3, 1)),
        {"amount": "19.90", "until": "2026-03-01"},
    ),
    (Stay, {"nights": 2, "lasts": dt.timedelta(0)}, {"nights": 2, "lasts": "PT0S"}),
    (Point, Point(1, Decimal("0.5")), [1, "0.5"]),
    (Strict, Strict(at=MORNING, numbers={1}), {"at": "2026-03-01T06:30:00", "numbers": [1]}),
    (Renamed, Renamed(byDay={dt.date(2026, 3, 1): 1}), {"byDay": {"2026-03-01": 1}}),
    (Numbers, Numbers([Decimal("0.5")]), ["0.5"]),
    (UserId, 5, 5),
    (HttpUrl, HttpUrl("https://example.org/ä"), "https://example.org/%C3%A4"),
    (EmailStr, "ada@example.org", "ada@example.org"),
    (ByteSize, ByteSize(5), 5),
    (Annotated[Decimal, Field(ge=0, max_digits=4)], Decimal("0.5"), "0.5"),
]
RESPONSES = [
    *BOTH_WAYS,
    (Everything, EVERYTHING, EVERYTHING_AS_JSON),
    (Size, Size.SMALL, "0.5"),
    (Corner, Corner.FIRST, [0, 0]),
    (dict[Corner, int], {Corner.FIRST: 1}, {"0,0": 1}),
    (dict[Size, int], {Size.SMALL: 1}, {"0.5": 1}),
    (dict[Literal[1, 2], int], {1: 2}, {"1": 2}),
    (dict[tuple[int, str], int], {(1, "a"): 2}, {"1,a": 2}),
    (dict[int | None, int], {None: 2}, {"None": 2}),
    (Decimal, Decimal("NaN"), "NaN"),
    (Path, Path("reports/a"), "reports/a"),
    (Path | None, Path("/etc/hostname"), "/etc/hostname"),
    (bytes, b"raw", "cmF3"),
    (bytes | None, b"\xff", "/w=="),
    (Base64Bytes, b"raw", "cmF3"),
    (list[Base64Bytes], [b"\xff"], ["/w=="]),
    (SecretStr, SecretStr("a secret"), "**********"),
    (Secret[int], Secret[int](5), "**********"),
    (Login, Login(token="a" * 30), {"token": "**********"}),
    (list[set[SecretStr]], [{SecretStr("a"), SecretStr("b")}], [["**********"] * 2]),
    (Json[list[int]], [1], [1]),
    (AnyUrl, AnyUrl("https://example.org/?q={a}"), "https://example.org/?q={a}"),
    (ipaddress.IPv6Address, ipaddress.ip_address("fe80::1%eth0"), "fe80::1%eth0"),
    (EmailStr, "ä@example.org", "ä@example.org"),
    (Annotated[int, PlainSerializer(lambda value: f"{value} m")], 5, "5 m"),
    (Iterable[Decimal], [Decimal("0.5")], ["0.5"]),
]
REQUESTS = [
    *BOTH_WAYS,
    (bytes, b"raw", "raw"),
    (Base64Bytes, b"raw", "cmF3"),
    (Path, Path("reports/a"), "reports/a"),
    (SecretStr, SecretStr("a secret"), "a secret"),
    (Secret[int], Secret[int](5), 5),
    (Decimal, Decimal("0.5"), 0.5),
    (Json[list[int]], [1], "[1]"),
    (Login, Login(token="a" * 30), {"token": "a" * 30}),
]


def names_of(cases):
    """Names of the tests that are the same in each process: `repr` of some annotations has an address."""
    return [
        f"{number}-{getattr(annotation, '__name__', annotation)}"
        for number, (annotation, *_) in enumerate(cases)
    ]


def verdict(schema, value):
    return compile_schema(loads(json.dumps(schema))).check(loads(json.dumps(value))).verdict


def make_tool_that_responds(annotation, value):
    def respond():
        """Respond with one value."""
        return value

    respond.__annotations__["return"] = annotation
    return tool(respond)


def make_tool_that_takes(annotation, received):
    def take(value) -> None:
        """Take one value."""
        received.append(value)

    take.__annotations__["value"] = annotation
    return tool(take)


@pytest.mark.parametrize(("annotation", "value", "expected"), RESPONSES, ids=names_of(RESPONSES))
def test_a_response_is_written_as_its_annotation_says_and_conforms_to_the_spec_made_from_it(
    annotation, value, expected
):
    factory = make_tool_that_responds(annotation, value)

    response = call(factory, {})

    assert response == expected
    assert verdict(make_spec(factory)["definition"]["returnType"], response) == "conforms"


@pytest.mark.parametrize(("annotation", "value", "given"), REQUESTS, ids=names_of(REQUESTS))
def test_a_parameter_that_the_spec_accepts_is_read_as_its_annotation_says(annotation, value, given):
    received = []
    factory = make_tool_that_takes(annotation, received)

    call(factory, {"value": given})

    assert verdict(make_spec(factory)["definition"]["parameters"], {"value": given}) == "conforms"
    assert received == [value]
    assert type(received[0]) is type(value)


@pytest.mark.parametrize("number", range(0, len(RESPONSES), 20))
def test_a_class_responds_as_a_function_does(number):
    annotation, value, expected = RESPONSES[number]

    class Responds:
        """Respond with one value."""

        def tool_id(self):
            return "responds"

        def create(self):
            return self

        def call(self, request: dict[str, Any]) -> annotation:
            return value

    response = call(Responds(), {})

    assert response == expected
    assert verdict(make_spec(Responds())["definition"]["returnType"], response) == "conforms"


def test_a_path_of_the_working_folder_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("1,2")
    factory = make_tool_that_responds(Path, Path("a.csv"))

    response = call(factory, {})

    assert (response["name"], response["mediaType"], response["size"]) == ("a.csv", "text/csv", 3)
    assert verdict(make_spec(factory)["definition"]["returnType"], response) == "conforms"


def test_bytes_within_a_response_are_text_and_others_are_refused_with_a_way():
    factory = make_tool_that_responds(list[bytes], [b"\xff"])

    with pytest.raises(
        ValueError, match="bytes that are not UTF-8; return a File, or annotate them as Base64Bytes"
    ):
        call(factory, {})


def test_a_value_within_a_typed_response_that_json_does_not_have_is_refused_with_its_position():
    factory = make_tool_that_responds(set[Any] | dict[int, Any], {1: [object()]})

    with pytest.raises(
        ValueError, match="not JSON at /1/0: an object cannot be represented in JSON"
    ):
        call(factory, {})


def test_files_within_a_typed_response_stay_files():
    factory = make_tool_that_responds(dict[int, Any], {1: {"a": File(b"abc")}})

    response = call(factory, {})

    assert response["1"]["a"]["mediaType"] == "text/plain"
