"""The wheel of the package for authors of tools (`sdk/`), which the site serves.

Generated projects name its address and its hash. They never name the package alone: anybody could
register a package of that name in an index.
"""

from __future__ import annotations

import tempfile
import threading
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from django.conf import settings

FOLDER: Final = settings.BASE_DIR / "sdk"
PATH: Final = "packages/"

_lock: Final = threading.Lock()
_built: list[Wheel] = []


@dataclass(frozen=True)
class Wheel:
    """A built wheel.

    Attributes:
        name: of its file; installers read the version from it.
    """

    name: str
    content: bytes

    @property
    def sha256(self) -> str:
        return sha256(self.content).hexdigest()

    def address(self, site: str) -> str:
        """Its URL with its hash, which installers check.

        `site` is the URL of the site, with a slash at the end.
        """
        return f"{site}{PATH}{self.name}#sha256={self.sha256}"


def sdk_wheel() -> Wheel:
    """The wheel of `sdk/`, built once by each process in 0.15 s; equal sources make equal bytes."""
    with _lock:
        if not _built:
            _built.append(build_wheel(FOLDER))
        return _built[0]


def build_wheel(folder: Path) -> Wheel:
    """Build the wheel of the package in `folder`, of which nothing is changed."""
    from hatchling.builders.wheel import WheelBuilder  # noqa: PLC0415  few processes need it

    with tempfile.TemporaryDirectory(prefix="toolshelf-") as target:
        [path] = WheelBuilder(str(folder)).build(directory=target, versions=["standard"])
        return Wheel(Path(path).name, Path(path).read_bytes())
