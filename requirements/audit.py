"""Look for known vulnerabilities of the locked packages in the OSV database, where it can be reached.

Prints the reason and exits with 0 if there is no connection to it; exits with 1 if a package is vulnerable.
"""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
SERVICE = ("api.osv.dev", 443)


def main() -> int:
    try:
        socket.create_connection(SERVICE, timeout=10).close()
    except OSError as error:
        sys.stderr.write(
            f"The dependencies were not audited: {SERVICE[0]} cannot be reached ({error}).\n"
        )
        return 0
    lock = (FOLDER / "team.txt").read_text("utf-8")  # everything that the site can run with
    locked = [
        found.strip()
        for found in re.findall(r"^([\w.-]+(?:\[[^\]]*\])?==[^\\\n]+)", lock, re.MULTILINE)
    ]
    with tempfile.TemporaryDirectory() as folder:
        names = "".join(f"  {requirement!r},\n" for requirement in locked)
        project = f'[project]\nname = "locked"\nversion = "0"\nrequires-python = ">=3.11"\ndependencies = [\n{names}]\n'
        (Path(folder) / "pyproject.toml").write_text(project, "utf-8")
        words = [Path(sys.executable).parent / "uv", "audit", "--preview-features", "audit-command"]
        return subprocess.run(words, cwd=folder, check=False).returncode  # noqa: S603 - fixed words


if __name__ == "__main__":
    sys.exit(main())
