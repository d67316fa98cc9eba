"""Generated Java projects compiled by `javac`, against stubs of the interfaces and libraries that they use."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

STUBS = Path(__file__).parent / "java_stubs"
MAX_SECONDS = 600


def compile_java(
    folder: Path, projects: Mapping[str, Mapping[str, str]], *others: Path
) -> list[str]:
    """Compile `projects` with one `javac`, with every warning as an error.

    Args:
        folder: an empty folder; the classes are in its folder `classes` afterwards, with the resources of the projects.
        projects: {name of a folder: {path: text}}; no two may have the same package.
        others: more source files.

    Returns:
        list[str]: the names of the classes, like "example.model.Holder$Unit".
    """
    classes = folder / "classes"
    classes.mkdir()
    sources = [*STUBS.rglob("*.java"), *others]
    for name, project in projects.items():
        for path, text in project.items():
            file = folder / "projects" / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            if path.endswith(".java"):
                sources.append(file)
    arguments = folder / "sources"
    arguments.write_text("\n".join(f'"{file}"' for file in sources), encoding="utf-8")
    options = [
        "-J-Xmx1500m",
        "-J-XX:TieredStopAtLevel=1",
        "-Xlint:all",
        "-Werror",
        "-proc:none",
        "--release",
        "17",
        "-encoding",
        "UTF-8",
    ]
    command = ["javac", *options, "-d", str(classes), f"@{arguments}"]
    result = subprocess.run(
        command, capture_output=True, text=True, timeout=MAX_SECONDS, check=False
    )
    assert result.returncode == 0, (result.stdout + result.stderr)[:4000]
    return [
        str(file.relative_to(classes)).removesuffix(".class").replace("/", ".")
        for file in classes.rglob("*.class")
    ]


def run_java(folder: Path, main: str, *arguments: str) -> str:
    """The output of the class `main`; `folder` is that of `compile_java`."""
    command = [
        "java",
        "-Xmx500m",
        "-Dfile.encoding=UTF-8",
        "-cp",
        str(folder / "classes"),
        main,
        *arguments,
    ]
    result = subprocess.run(
        command, capture_output=True, text=True, timeout=MAX_SECONDS, check=False
    )
    assert result.returncode == 0, result.stderr[:4000]
    return result.stdout
