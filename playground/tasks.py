"""What a worker of Celery does."""

from __future__ import annotations

from playground.celery.app import TASK, app
from playground.celery.execute import execute_message


@app.task(name=TASK)
def run_tool(run_id: str, encrypted: str) -> None:
    """Do one run, and stay until it is written down."""
    execute_message(run_id, encrypted)
