"""A demonstration of a long run: a growing log, progress, and a failure half-way."""

from __future__ import annotations

import time
from dataclasses import dataclass

from playground.builtin.shipped import SPECS
from playground.runner.log import log
from toolshelf_tools import progress, tool


@dataclass(frozen=True)
class Counted:
    counted: int
    message: str


@tool(spec=SPECS / "count_slowly.json")
def count_slowly(steps: int = 10, seconds: float = 5, fail_at: int | None = None) -> Counted:
    progress(0, steps, "begun")
    for step in range(1, steps + 1):
        time.sleep(seconds / steps)
        if step == fail_at:
            raise RuntimeError(f"Failed at step {step}, as requested.")
        log(f"step {step} of {steps}")
        progress(step, steps, f"step {step}")
    return Counted(counted=steps, message=f"Counted to {steps}.")
