"""What a worker of Celery does."""

from __future__ import annotations

from playground.broker import TASK, app
from playground.taking import take


@app.task(name=TASK)
def run_tool(run_id: str, sealed: str) -> None:
    """Do one run, and stay until it is written down."""
    take(run_id, sealed)
