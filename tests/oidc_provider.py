"""A real OpenID Connect provider, in a process of its own on the loopback interface."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import httpx

from tests.site import free_port


class OIDCProvider:
    """Serves until `stop()`. Its people are those of `add_person`; anybody else can name themselves, without groups."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.issuer = f"http://127.0.0.1:{self.port}"
        self.log = (folder / "provider.log").open("ab")
        words = ["--host", "127.0.0.1", "--port", str(self.port), "--require-nonce", "true"]
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", *words],
            stdout=self.log,
            stderr=self.log,
        )
        deadline = time.monotonic() + 60
        while not self.is_up():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise AssertionError("the provider does not start")
            time.sleep(0.05)

    def is_up(self) -> bool:
        with suppress(httpx.TransportError):
            return httpx.get(f"{self.issuer}/.well-known/openid-configuration").status_code == 200
        return False

    def settings(self, **more: Any) -> dict[str, Any]:
        """The settings of a site that uses it, as `OIDC_…` without the prefix."""
        return {
            "ISSUER": self.issuer,
            "CLIENT_ID": "toolshelf",
            "CLIENT_SECRET": "secret",
            "NAME": "Example",
            **more,
        }

    def add_person(self, subject: str, **claims: Any) -> None:
        """Create a person, or replace their claims."""
        httpx.put(f"{self.issuer}/users/{subject}", json=claims).raise_for_status()

    def authorize(self, url: str, subject: str, **parameters: str) -> str:
        """The URL to which the provider sends the browser back after `subject` agreed to the request of `url`.

        `parameters` replace those of the request; with the subject "" the person cancels.
        """
        parts = urlsplit(url)
        query = urlencode({**dict(parse_qsl(parts.query)), **parameters})
        form = {"sub": subject} if subject else {"action": "deny"}
        answer = httpx.post(urlunsplit(parts._replace(query=query)), data=form)
        assert answer.status_code in {302, 303}, answer.text
        return answer.headers["Location"]

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(10)
        self.log.close()
