"""Where browsers use passkeys."""

from __future__ import annotations

import ipaddress
from typing import Final
from urllib.parse import urlsplit

from django.http import HttpRequest

from toolshelf_core.site_url import is_loopback

NO_PASSKEYS_HERE: Final = (
    "Browsers support passkeys only on sites with a host name and HTTPS, or on localhost."
)


def passkeys_work(request: HttpRequest) -> bool:
    """Whether browsers use passkeys on the host of `request`.

    It needs a name, and HTTPS unless it is this machine.

    Source: Web Authentication Level 3, section 5.1.3: the effective domain is not an IP address,
    in a secure context.
    """
    name = urlsplit(f"//{request.get_host()}").hostname or ""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return request.is_secure() or is_loopback(name) or name.endswith(".localhost")
    return False
