"""Locked npm packages that tests run."""

import fcntl
import shutil
import subprocess
from pathlib import Path


def install_packages(manifest: Path, folder: Path) -> None:
    """Install what the lock file in the folder `manifest` names into `folder`, unless it is there.

    Processes that ask at the same time wait for the first of them.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _lock_file(folder) == _lock_file(manifest):
            return
        new = folder.with_suffix(".new")
        shutil.rmtree(new, ignore_errors=True)
        shutil.copytree(manifest, new)
        subprocess.run(
            ["npm", "ci", "--ignore-scripts", "--silent"], cwd=new, check=True, timeout=600
        )
        shutil.rmtree(folder, ignore_errors=True)
        new.rename(folder)


def _lock_file(folder: Path) -> str | None:
    file = folder / "package-lock.json"
    return file.read_text() if file.exists() else None
