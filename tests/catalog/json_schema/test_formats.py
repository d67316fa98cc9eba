"""The formats that are asserted. The JSON-Schema-Test-Suite has most cases; these are the ones it leaves open."""

import pytest

from catalog.json_schema.formats import FORMATS
from tests.work import at_most

LONG = 100_000


@pytest.mark.parametrize(
    ("name", "text", "valid"),
    [
        ("date", "2024-02-29", True),
        ("date", "2023-02-29", False),
        ("date", "0000-01-01", True),
        ("date", "2024-1-01", False),
        ("date", "٢٠٢٤-01-01", False),
        ("time", "10:00:00Z", True),
        ("time", "10:00:00", False),
        ("time", "23:59:60Z", True),
        ("time", "22:59:60Z", False),
        ("time", "00:29:60+00:30", True),
        ("date-time", "2024-02-29T10:00:00.5+01:00", True),
        ("date-time", "2024-02-29t10:00:00z", True),
        ("date-time", "2024-02-29 10:00:00Z", False),
        ("duration", "P1DT2H", True),
        ("duration", "P1Y2D", False),
        ("duration", "PT", False),
        ("email", "ada@example.org", True),
        ("email", '"a b"@example.org', True),
        ("email", "ada@[127.0.0.1]", True),
        ("email", "ada@[IPv6:::1]", True),
        ("email", "ada@-example.org", False),
        ("email", "a..b@example.org", False),
        ("email", "ada", False),
        ("idn-email", "실례@실례.테스트", True),
        ("hostname", "example.org", True),
        ("hostname", "xn--nxasmq6b", True),
        ("hostname", "xn---", False),
        ("hostname", "a" * 64 + ".org", False),
        ("hostname", "example.org.", False),
        ("idn-hostname", "실례.테스트", True),
        ("idn-hostname", "〮실례.테스트", False),
        ("ipv4", "127.0.0.1", True),
        ("ipv4", "127.0.0.01", False),
        ("ipv4", "127.0.0.1.1", False),
        ("ipv6", "::ffff:127.0.0.1", True),
        ("ipv6", "fe80::1%eth0", False),
        ("uri", "https://user:pw@[::1]:8080/a%20b?c#d", True),
        ("uri", "urn:isbn:0451450523", True),
        ("uri", "https://example.org/a b", False),
        ("uri", "//example.org", False),
        ("uri", "https://[::1", False),
        ("uri", "https://example.org:port/", False),
        ("uri-reference", "../a?b#c", True),
        ("uri-reference", "a\\b", False),
        ("iri", "https://example.org/ü", True),
        ("iri-reference", "#ƒrägmênt", True),
        ("uri-template", "/tools/{slug}{?limit,cursor*}", True),
        ("uri-template", "a'b", True),
        ("uri-template", "/tools/{slug", False),
        ("uuid", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", True),
        ("uuid", "2eb8aa08aa9811eab4aa73b441d16380", False),
        ("json-pointer", "/a~1b/~0", True),
        ("json-pointer", "/a~2", False),
        ("json-pointer", "a", False),
        ("relative-json-pointer", "1/a", True),
        ("relative-json-pointer", "0#", True),
        ("relative-json-pointer", "01/a", False),
        ("regex", "^(a|b)$", True),
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
