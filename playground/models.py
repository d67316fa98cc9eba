"""The playground's tables, for Django: each is in its room, which the others import."""

from playground.configurations.models import MCPConfiguration, SavedConfiguration
from playground.examples.models import ExampleCheck
from playground.runs.models import QueuedMessage, Run, RunFile, RunVolume, WorkerHeartbeat
from playground.trying.models import SavedInput

__all__ = [
    "ExampleCheck",
    "MCPConfiguration",
    "QueuedMessage",
    "Run",
    "RunFile",
    "RunVolume",
    "SavedConfiguration",
    "SavedInput",
    "WorkerHeartbeat",
]
