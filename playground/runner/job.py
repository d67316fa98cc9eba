"""One run as a runner sees it: what to call, within which limits, and how it ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from catalog.jsontext.reader import JSON

Outcome = Literal["returned", "raised", "timed_out", "cancelled", "crashed"]
State = Literal["queued", "running", "ended"]

KIB = 1024
MIB = 1024 * KIB


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """The bounds of one run.

    Attributes:
        timeout_s: seconds from the moment a slot is free to the response; then everything of the run is killed.
        memory_bytes: address space of each process of the run, and memory of them together where cgroups are on.
        response_bytes: size of the response as JSON.
        output_bytes: kept of stdout, and of stderr; the rest is counted.
        error_characters: kept of the error's text.
        file_bytes: size of one file that the run writes.
        scratch_bytes: size of the run's private directory, where it has its own mounts.
        open_files, processes: how many at once (a thread counts as a process).
    """

    timeout_s: float = 30.0
    memory_bytes: int = 1024 * MIB
    response_bytes: int = MIB
    output_bytes: int = 64 * KIB
    error_characters: int = 4000
    file_bytes: int = 64 * MIB
    scratch_bytes: int = 128 * MIB
    open_files: int = 256
    processes: int = 64


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """One call of one tool.

    Attributes:
        run_id: the caller's name for it.
        reference: the factory, "module:attribute", as `FactoryInfo.reference`.
        version: of the distribution; a new version is imported anew.
        forks_safely: False for a factory that starts threads when it is imported: each run then imports it anew.
        configuration: handed to a configurable factory; {} where there is none. It may hold secrets.
    """

    run_id: str
    reference: str
    parameters: JSON = field(default_factory=dict, repr=False)
    configuration: JSON = field(default=None, repr=False)
    has_configuration: bool = False
    version: str = ""
    forks_safely: bool = True
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Progress:
    """What a tool last said of how far it is, in its own units."""

    done: float
    total: float | None
    message: str


@dataclass(frozen=True, slots=True)
class Output:
    """Text from stdout and stderr so far, and how many bytes of each were not kept."""

    stdout: str = ""
    stderr: str = ""
    stdout_dropped: int = 0
    stderr_dropped: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class RunEnd:
    """How a run ended.

    Attributes:
        outcome: "returned" (there is a response), "raised" (the tool, or the making of its request or response,
            failed: `error` says how), "timed_out", "cancelled", "crashed" (its process ended by itself).
        error: plain sentence first, then a traceback where there is one; None for "returned".
        queue_ms, start_ms, call_ms: waiting for a slot; making the process and the tool; the call itself. The last two
            are 0 for what was not reached.
    """

    outcome: Outcome
    response: JSON = field(default=None, repr=False)
    has_response: bool = False
    error: str | None = None
    output: Output = field(default_factory=Output, repr=False)
    queue_ms: float = 0.0
    start_ms: float = 0.0
    call_ms: float = 0.0
    progress: Progress | None = None

    @property
    def stdout(self) -> str:
        return self.output.stdout

    @property
    def stderr(self) -> str:
        return self.output.stderr

    @property
    def stdout_dropped(self) -> int:
        return self.output.stdout_dropped

    @property
    def stderr_dropped(self) -> int:
        return self.output.stderr_dropped


class RunHandle(Protocol):
    """A run that was submitted. May be used from any thread."""

    @property
    def run_id(self) -> str: ...

    @property
    def state(self) -> State: ...

    @property
    def events(self) -> Sequence[Progress]:
        """The latest reports of progress, oldest first."""
        ...

    def wait(self, timeout_s: float | None = None) -> RunEnd | None:
        """How it ended; None when `timeout_s` passed first."""
        ...

    def cancel(self) -> None:
        """End it: at once while it waits, else everything of it is killed. Nothing happens when it has ended."""
        ...

    def place(self) -> int:
        """How many runs start before it, plus one; 0 when it does not wait any more."""
        ...

    def output(self) -> Output:
        """What it has written so far."""
        ...

    def when_done(self, callback: Callable[[RunEnd], None]) -> None:
        """Call `callback` once with how it ended, in a thread of the runner; soon, when it has ended already."""
        ...


class Runner(Protocol):
    """Where runs happen."""

    def submit(self, job: Job) -> RunHandle:
        """Start `job`, or let it wait for its turn.

        Raises:
            Busy: as many wait as may wait.
        """
        ...
