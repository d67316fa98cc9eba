"""Member names that suggest a secret: "apiKey", "password".

Forms, lint and log redaction share them.
"""

from __future__ import annotations

import re
from typing import Final

_SECRET: Final = re.compile(
    r"(api|access|secret|private|auth|client|signing|encryption|service|account|storage|shared"
    r"|licen[cs]e)[-_ ]?keys?$"
    r"|^keys?$|passw(or)?d|(^|[-_ ])pwd$|passphrase|secret(?!ar)|credential|bearer|authorization"
    r"|cookie"
    r"|(^|[-_ ]|[a-z])tokens?$|^pin$|(^|[-_ ])(otp|pat)$"
    r"|connection[-_ ]?string|dsn$",
    re.IGNORECASE,
)
_NOT_SECRET: Final = re.compile(
    r"(max|min|num|count|limit|per|total|input|output|stop)[-_ ]?tokens?$"
    # positions in lists, which a response gives and the next request sends back
    r"|(next|prev|previous|page|pager|pagination|paging|cursor|continue|continuation|resume"
    r"|resumption|skip|start|starting|offset|marker|bookmark|checkpoint|position|after|before|since"
    r"|scroll|iterator|sync|delta)[-_ ]?tokens?$"
    r"|tokens?[-_ ]?(limit|count|url)$|[-_ ]?(type|name|length|policy|paths?|hint|version|arn)$",
    re.IGNORECASE,
)


def is_secret_name(name: str) -> bool:
    """Whether a member with this name is likely to contain a secret."""
    return bool(_SECRET.search(name)) and not _NOT_SECRET.search(name)
