"""A demonstration of a long run: a growing log, progress, and a failure half-way."""

from __future__ import annotations

import time
from dataclasses import dataclass

from playground.builtin.shipped import ShippedTool, log, shipped
from playground.tool import Tool, progress


@dataclass(frozen=True)
class CountRequest:
    steps: int = 10
    seconds: float = 5
    fail_at: int | None = None


@dataclass(frozen=True)
class Counted:
    counted: int
    message: str


class CountSlowly(ShippedTool):
    definition = shipped("count_slowly")
    request_type = CountRequest

    def call(self, request: CountRequest) -> Counted:
        progress(0, request.steps, "begun")
        for step in range(1, request.steps + 1):
            time.sleep(request.seconds / request.steps)
            if step == request.fail_at:
                raise RuntimeError(f"Failed at step {step}, as it was told to.")
            log(f"step {step} of {request.steps}")
            progress(step, request.steps, f"step {step}")
        return Counted(counted=request.steps, message=f"Counted to {request.steps}.")


class CountSlowlyFactory:
    def tool_id(self) -> str:
        return CountSlowly.definition.id

    def create(self) -> Tool[CountRequest, Counted]:
        return CountSlowly()
