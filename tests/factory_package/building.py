"""The least that packaging tools need to make a wheel of this package (PEP 517, PEP 427)."""

import base64
import hashlib
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).parent


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    stem = f"{project['name'].replace('-', '_')}-{project['version']}"
    files = {path.relative_to(HERE).as_posix(): path.read_text() for path in sorted((HERE / "almanac").glob("*.py"))}
    files |= {f"{stem}.dist-info/{name}": text for name, text in _metadata(project).items()}
    name = f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)
        record = f"{stem}.dist-info/RECORD"
        wheel.writestr(record, "".join(map(_recorded, files.items())) + f"{record},,\n")
    return name


def _metadata(project):
    points = project["entry-points"]["toolshelf.factories"]
    lines = ["[toolshelf.factories]", *(f"{name} = {reference}" for name, reference in points.items())]
    return {
        "METADATA": f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n",
        "WHEEL": "Wheel-Version: 1.0\nGenerator: building\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "entry_points.txt": "\n".join(lines) + "\n",
    }


def _recorded(file):
    path, text = file
    digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(text.encode())}\n"
