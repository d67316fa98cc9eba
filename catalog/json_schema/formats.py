"""The formats that Toolshelf asserts, each checked in linear time.

As JSON Schema allows, any other format is only an annotation: `idn-hostname`, which needs the tables of IDNA, and names
that JSON Schema does not define ("binary", "int32").

Sources: JSON Schema 2020-12 Validation, section 7.3, and the RFCs it names for each format.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from catalog.json_schema.regex.syntax import is_regex

_MAX_HOSTNAME_CHARACTERS: Final = 253  # RFC 1123, section 2.1
_MAX_IPV6_CHARACTERS: Final = 45

_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
_TIME = re.compile(r"(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII)
_DURATION_TIME = r"T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)"
_DURATION = re.compile(
    rf"P(?:\d+W|(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)(?:{_DURATION_TIME})?|{_DURATION_TIME})",
    re.ASCII,
)
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_BAD_TILDE = re.compile(r"~(?![01])")
_RELATIVE = re.compile(r"(?:0|[1-9][0-9]*)(.*)", re.DOTALL)
_LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_OCTET = re.compile(r"0|[1-9][0-9]{0,2}")

_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]"
_QUOTED = r'"(?:[ !#-\[\]-~]|\\[ -~])*"'
_LOCAL_PART = re.compile(rf"{_ATOM}+(?:\.{_ATOM}+)*|{_QUOTED}")
_IDN_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\U0010ffff-]"
_IDN_LOCAL_PART = re.compile(
    rf"{_IDN_ATOM}+(?:\.{_IDN_ATOM}+)*|" + r'"(?:[ !#-\[\]-~\u0080-\U0010ffff]|\\[ -~])*"'
)
_IDN_LABEL = re.compile(
    r"[A-Za-z0-9\u0080-\U0010ffff](?:[A-Za-z0-9\u0080-\U0010ffff-]*[A-Za-z0-9\u0080-\U0010ffff])?"
)

# RFC 3986, appendix A; RFC 3987, section 2.2 adds characters.
_UCS = (
    "\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef"
    + "".join(f"{chr(plane << 16)}-{chr((plane << 16) + 0xFFFD)}" for plane in range(1, 14))
    + "\U000e1000-\U000efffd"
)
_PRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"


def _uri_parts(extra: str, private: str) -> dict[str, re.Pattern[str]]:
    """The grammar of each part of a URI, in which `extra` characters are allowed unescaped."""
    unreserved = rf"A-Za-z0-9._~{extra}\-"
    delimiters = "!$&'()*+,;="
    escaped = "%[0-9A-Fa-f]{2}"
    return {
        "userinfo": re.compile(rf"(?:[{unreserved}{delimiters}:]|{escaped})*+"),
        "host": re.compile(rf"(?:[{unreserved}{delimiters}]|{escaped})*+"),
        "path": re.compile(rf"(?:[{unreserved}{delimiters}:@/]|{escaped})*+"),
        "query": re.compile(rf"(?:[{unreserved}{delimiters}:@/?{private}]|{escaped})*+"),
        "fragment": re.compile(rf"(?:[{unreserved}{delimiters}:@/?]|{escaped})*+"),
    }


_URI_PARTS = _uri_parts("", "")
_IRI_PARTS = _uri_parts(_UCS, _PRIVATE)
_SPLIT_URI = re.compile(
    r"(?:([^:/?#]*):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL
)  # appendix B
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_PORT = re.compile(r"[0-9]*")
_IP_FUTURE = re.compile(r"[vV][0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+")

_TEMPLATE_NAME = r"(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*"
_TEMPLATE_VARIABLE = rf"{_TEMPLATE_NAME}(?::[1-9][0-9]{{0,3}}|\*)?"
_TEMPLATE_EXPRESSION = re.compile(rf"[+#./;?&=,!@|]?{_TEMPLATE_VARIABLE}(?:,{_TEMPLATE_VARIABLE})*")
_TEMPLATE_LITERAL = re.compile(
    rf"(?:[!#$&'()*+,./0-9:;=?@A-Z\[\]_a-z~{_UCS}{_PRIVATE}-]|%[0-9A-Fa-f]{{2}})*+"
)


def is_date(text: str) -> bool:
    """RFC 3339, `full-date`."""
    match = _DATE.fullmatch(text)
    if match is None:
        return False
    year, month, day = (int(part) for part in match.groups())
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = (31, 29 if is_leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    return 1 <= month <= 12 and 1 <= day <= days[month - 1]


def is_time(text: str) -> bool:
    """RFC 3339, `full-time`; a leap second is the last second of a day of UTC."""
    match = _TIME.fullmatch(text)
    if match is None:
        return False
    hour, minute, second = int(match[1]), int(match[2]), int(match[3])
    offset_hour, offset_minute = int(match[5] or 0), int(match[6] or 0)
    if hour > 23 or minute > 59 or second > 60 or offset_hour > 23 or offset_minute > 59:
        return False
    sign = -1 if match[4] == "+" else 1
    utc = (hour * 60 + minute + sign * (offset_hour * 60 + offset_minute)) % (24 * 60)
    return second < 60 or utc == 24 * 60 - 1


def is_date_time(text: str) -> bool:
    """RFC 3339, `date-time`."""
    return text[10:11] in {"T", "t"} and is_date(text[:10]) and is_time(text[11:])


def is_duration(text: str) -> bool:
    """RFC 3339, appendix A."""
    return _DURATION.fullmatch(text) is not None


def is_hostname(text: str) -> bool:
    """RFC 1123, section 2.1; labels that encode other alphabets (RFC 5891) are checked as letters."""
    if not 1 <= len(text) <= _MAX_HOSTNAME_CHARACTERS:
        return False
    return all(_is_label(label) for label in text.split("."))


def _is_label(label: str) -> bool:
    return _LABEL.fullmatch(label) is not None and (
        label[2:4] != "--" or label[:4].lower() == "xn--"
    )


def is_email(text: str) -> bool:
    """RFC 5321, section 4.1.2, `Mailbox`."""
    local, at, domain = text.rpartition("@")
    return (
        bool(at)
        and _LOCAL_PART.fullmatch(local) is not None
        and _is_mail_domain(domain, is_hostname)
    )


def is_idn_email(text: str) -> bool:
    """RFC 6531: an address whose parts may contain other alphabets."""
    local, at, domain = text.rpartition("@")
    return (
        bool(at)
        and _IDN_LOCAL_PART.fullmatch(local) is not None
        and _is_mail_domain(domain, _is_idn_domain)
    )


def _is_mail_domain(domain: str, is_name: Callable[[str], bool]) -> bool:
    if not domain.startswith("["):
        return is_name(domain)
    literal = domain[1:-1]
    if not domain.endswith("]"):
        return False
    return is_ipv6(literal[5:]) if literal[:5].lower() == "ipv6:" else is_ipv4(literal)


def _is_idn_domain(text: str) -> bool:
    return len(text) <= _MAX_HOSTNAME_CHARACTERS and all(
        _IDN_LABEL.fullmatch(label) for label in text.split(".")
    )


def is_ipv4(text: str) -> bool:
    """RFC 2673, section 3.2: four decimal numbers."""
    octets = text.split(".", 4)
    return len(octets) == 4 and all(
        _OCTET.fullmatch(octet) and int(octet) < 256 for octet in octets
    )


def is_ipv6(text: str) -> bool:
    """RFC 4291, section 2.2; without a zone."""
    if len(text) > _MAX_IPV6_CHARACTERS or "%" in text:
        return False
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True


def _is_reference(text: str, parts: Mapping[str, re.Pattern[str]], *, is_absolute: bool) -> bool:
    """`URI` and `URI-reference` of RFC 3986, or `IRI` and `IRI-reference` of RFC 3987."""
    match = _SPLIT_URI.fullmatch(text)
    if match is None:
        return False
    scheme, authority, path, query, fragment = match.groups()
    if scheme is None:
        if is_absolute:
            return False
    elif _SCHEME.fullmatch(scheme) is None:
        return False
    if authority is not None and not _is_authority(authority, parts):
        return False
    return (
        parts["path"].fullmatch(path) is not None
        and parts["query"].fullmatch(query or "") is not None
        and parts["fragment"].fullmatch(fragment or "") is not None
    )


def _is_authority(authority: str, parts: Mapping[str, re.Pattern[str]]) -> bool:
    userinfo, _, address = authority.rpartition("@")
    if parts["userinfo"].fullmatch(userinfo) is None:
        return False
    if not address.startswith("["):
        host, _, port = address.partition(":")
        return parts["host"].fullmatch(host) is not None and _PORT.fullmatch(port) is not None
    literal, bracket, port = address[1:].partition("]")
    if not bracket or (port and not (port.startswith(":") and _PORT.fullmatch(port, 1))):
        return False
    return is_ipv6(literal) or _IP_FUTURE.fullmatch(literal) is not None


def is_uri_template(text: str) -> bool:
    """RFC 6570, section 2; a literal may contain `'` (erratum 6937)."""
    at = 0
    while (start := text.find("{", at)) >= 0:
        end = text.find("}", start)
        if end < 0 or _TEMPLATE_EXPRESSION.fullmatch(text, start + 1, end) is None:
            return False
        if _TEMPLATE_LITERAL.fullmatch(text, at, start) is None:
            return False
        at = end + 1
    return _TEMPLATE_LITERAL.fullmatch(text, at) is not None


def is_uuid(text: str) -> bool:
    """RFC 4122, section 3."""
    return _UUID.fullmatch(text) is not None


def is_json_pointer(text: str) -> bool:
    """RFC 6901, section 5: the JSON string representation."""
    return (not text or text.startswith("/")) and _BAD_TILDE.search(text) is None


def is_relative_json_pointer(text: str) -> bool:
    """Relative JSON Pointers, draft-bhutton-relative-json-pointer-00."""
    match = _RELATIVE.fullmatch(text)
    return match is not None and (match[1] == "#" or is_json_pointer(match[1]))


FORMATS: Mapping[str, Callable[[str], bool]] = {
    "date": is_date,
    "date-time": is_date_time,
    "duration": is_duration,
    "email": is_email,
    "hostname": is_hostname,
    "idn-email": is_idn_email,
    "ipv4": is_ipv4,
    "ipv6": is_ipv6,
    "iri": partial(_is_reference, parts=_IRI_PARTS, is_absolute=True),
    "iri-reference": partial(_is_reference, parts=_IRI_PARTS, is_absolute=False),
    "json-pointer": is_json_pointer,
    "regex": is_regex,
    "relative-json-pointer": is_relative_json_pointer,
    "time": is_time,
    "uri": partial(_is_reference, parts=_URI_PARTS, is_absolute=True),
    "uri-reference": partial(_is_reference, parts=_URI_PARTS, is_absolute=False),
    "uri-template": is_uri_template,
    "uuid": is_uuid,
}
