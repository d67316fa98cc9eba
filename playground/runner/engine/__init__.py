"""The interface for running tools, and the runner for one machine: the server's side.

`playground/runner/worker/` has the processes of tools.

No tool's code ever runs in this process.

    runner = LocalRunner(slots=8)
    job = Job(run_id="…", reference="weather:Factory", parameters={"city": "Wien"})
    handle = runner.submit(job)
    end = handle.wait(30)       # RunEnd, or None while it still runs
"""

from playground.runner.engine.job import Job, Limits, Output, Progress, RunEnd
from playground.runner.engine.local_run import LocalRun
from playground.runner.engine.local_runner import LocalRunner

__all__ = ["Job", "Limits", "LocalRun", "LocalRunner", "Output", "Progress", "RunEnd"]
