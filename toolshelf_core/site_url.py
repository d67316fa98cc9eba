"""The URL of the site: `manage.py serve` stores it, so that other commands print working URLs."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.http.request import validate_host

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8000


def is_loopback(host: str) -> bool:
    """Whether `host`, an address or a name, is this machine itself."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def is_on_this_machine(request: HttpRequest) -> bool:
    """Whether the host of `request` is this machine itself, so that no other can reach it."""
    host = urlsplit(f"//{request.get_host()}").hostname or ""
    return is_loopback(host) or host.endswith(".localhost")


def list_own_origins(request: HttpRequest) -> set[str]:
    """The origins, with ports, of pages that may send changes: own and `CSRF_TRUSTED_ORIGINS`."""
    return {f"{request.scheme}://{request.get_host()}", *settings.CSRF_TRUSTED_ORIGINS}


def url_of_server(host: str, port: int) -> str:
    """The URL, without a trailing slash, of a server that listens on `host` and `port`.

    With TOOLSHELF_HTTPS this is the URL of the proxy, with the first public name in ALLOWED_HOSTS.
    Otherwise it is the server's own URL, with a name that the server accepts.
    """
    names = [name.removeprefix(".") for name in settings.ALLOWED_HOSTS] or [DEFAULT_HOST]
    name = next((name for name in names if not is_loopback(name)), names[0])
    if settings.HTTPS:
        return f"https://{name}"
    server = f"[{host}]" if ":" in host else host
    if validate_host(server, settings.ALLOWED_HOSTS):
        return f"http://{server}:{port}"
    if is_loopback(host):
        return f"http://{name}"  # a proxy under that name forwards to the port
    return f"http://{name}:{port}"


def write_site_url(url: str) -> None:
    """Store the URL of the site, unless it is unchanged: a restart must work on a full disk."""
    if read_site_url() != url:
        (settings.DATA_DIR / "site_url").write_text(f"{url}\n")


def read_site_url() -> str | None:
    """The URL of the server last started with this data directory; None if there was none."""
    try:
        return (settings.DATA_DIR / "site_url").read_text().strip() or None
    except FileNotFoundError:
        return None
