"""The playground's tables: runs, example checks, saved configurations, and the queue's messages and workers."""

from playground.models.checks import ExampleCheck
from playground.models.processes import QueuedMessage, WorkerHeartbeat
from playground.models.runs import (
    ACTIVE,
    DRAFT,
    ENDED,
    IMAGES,
    MODES,
    OUTCOMES,
    SOUNDS,
    VERDICTS,
    VISITOR,
    Run,
    RunFile,
    RunQuerySet,
    RunVolume,
    new_run_id,
)  # fmt: skip
from playground.models.saved import (
    MCPConfiguration,
    SavedConfiguration,
    SavedConfigurationQuerySet,
    SavedInput,
)

__all__ = [
    "ACTIVE",
    "DRAFT",
    "ENDED",
    "IMAGES",
    "MODES",
    "OUTCOMES",
    "SOUNDS",
    "VERDICTS",
    "VISITOR",
    "ExampleCheck",
    "MCPConfiguration",
    "QueuedMessage",
    "Run",
    "RunFile",
    "RunQuerySet",
    "RunVolume",
    "SavedConfiguration",
    "SavedConfigurationQuerySet",
    "SavedInput",
    "WorkerHeartbeat",
    "new_run_id",
]  # fmt: skip
