"""Wheels of packages that are installed here, so that an empty environment can install them without a network."""

import zipfile
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

NOT_OF_THE_WHEEL = {"INSTALLER", "REQUESTED", "RECORD", "direct_url.json", "uv_cache.json"}


def pack_wheels(folder: Path, *names: str) -> None:
    """Write the wheels of these distributions, and of all that they need, to `folder`."""
    waiting, packed = list(names), set()
    while waiting:
        found = distribution(waiting.pop())
        if found.metadata["Name"] not in packed:
            packed.add(found.metadata["Name"])
            pack(folder, found)
            needed = map(Requirement, found.requires or ())
            waiting += [
                each.name
                for each in needed
                if not each.marker or each.marker.evaluate({"extra": ""})
            ]


def pack(folder: Path, found: Distribution) -> None:
    """Write the wheel of one distribution: its files but for those that an installer adds (PEP 427)."""
    info = f"{found.metadata['Name'].replace('-', '_').replace('.', '_')}-{found.version}"
    tag = next(
        line.partition(": ")[2]
        for line in found.read_text("WHEEL").splitlines()
        if line.startswith("Tag: ")
    )
    files = [
        each for each in found.files if each.parts[0] != ".." and "__pycache__" not in each.parts
    ]
    packed = [
        each
        for each in files
        if each.name not in NOT_OF_THE_WHEEL or not each.parts[0].endswith(".dist-info")
    ]
    record = next(each for each in files if each.name == "RECORD")
    lines = [f"{each},," for each in (*packed, record)]
    with zipfile.ZipFile(folder / f"{info}-{tag}.whl", "w") as wheel:
        for each in packed:
            wheel.write(each.locate(), str(each))
        wheel.writestr(str(record), "\n".join(lines) + "\n")
