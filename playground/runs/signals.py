"""Signals of runs, for rooms above, which connect to them in `playground/apps.py`."""

from typing import Final

from django.dispatch import Signal

# `check`: an ExampleCheck, of which a run has ended. Sent after the run is stored.
check_run_ended: Final = Signal()

# Runs whose server or worker had ended were marked as crashed.
runs_recovered: Final = Signal()
