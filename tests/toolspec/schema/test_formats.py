"""The formats that are asserted. The JSON-Schema-Test-Suite has most cases; these are the ones it leaves open."""

import pytest

from tests.work import at_most
from toolspec.schema.formats import FORMATS

LONG = 100_000


@pytest.mark.parametrize(
    ("name", "text", "valid"),
    [
        ("date", "0000-01-01", True),
        ("time", "00:29:60+00:30", True),
        ("date-time", "2024-02-29 10:00:00Z", False),
        ("duration", "P1Y2D", False),
        ("email", "ada@-example.org", False),
        ("hostname", "a" * 64 + ".org", False),
        ("hostname", "example.org.", False),
        ("idn-hostname", "실례.테스트", True),
        ("ipv4", "127.0.0.1.1", False),
        ("ipv6", "::ffff:127.0.0.1", True),
        ("uri", "https://user:pw@[::1]:8080/a%20b?c#d", True),
        ("uri", "https://[::1", False),
        ("uri", "https://example.org:port/", False),
        ("iri", "https://example.org/ü", True),
        ("uri-template", "a'b", True),
        ("uuid", "2eb8aa08aa9811eab4aa73b441d16380", False),
        ("json-pointer", "a", False),
        ("relative-json-pointer", "01/a", False),
        ("regex", r"\Z", False),
    ],
)
def test_a_format_accepts_and_refuses_as_specified(name, text, valid):
    assert FORMATS[name](text) is valid


@pytest.mark.deep
@pytest.mark.parametrize("name", sorted(FORMATS))
@pytest.mark.parametrize(
    "piece", ["a", "1", ".", "%", "~0", "/", "a@", '"', "{a}", "[", "(", "::", "P1", "é", "\u0660"]
)
def test_a_format_is_decided_in_linear_time(name, piece):
    text = piece * (LONG // len(piece))

    with at_most(20_000_000):
        for start in ("", "http://"):
            FORMATS[name](start + text)


def test_other_formats_are_annotations():
    assert not {"binary", "int32", "password"} & FORMATS.keys()
