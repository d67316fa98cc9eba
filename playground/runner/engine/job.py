"""One run: the call, its limits, and its end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from playground.runner.worker.network import Network
from toolshelf_tools.files import ResponseFile
from toolspec.text.reader import JSON

Outcome = Literal["returned", "raised", "timed_out", "cancelled", "crashed"]
State = Literal["queued", "running", "ended"]

KIB = 1024
MIB = 1024 * KIB


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """The limits of one run.

    Attributes:
        timeout_s: seconds from leaving the queue to the response; after that, all processes of the
            run are killed.
        memory_bytes: memory of all processes of the run together.
        address_space_bytes: of each process; None is `memory_bytes`. Some programs reserve far more
            than they use.
        response_bytes: size of the response as JSON; of a longer one, the beginning is stored.
        attached_bytes: size of the files of the response together, and of a longer response that is
            stored as a file.
        output_bytes: bytes stored of stdout, and of stderr; the rest is only counted.
        error_characters: characters stored of the error message.
        file_bytes: size of one file that the run writes.
        scratch_bytes: size of the run's private directory, where runs have their own mounts.
        open_files, processes: the greatest number at any time (a thread counts as a process).
        grace_s: seconds between SIGTERM and the kill, at most 0.25, for a tool that passes a
            cancellation on; 0 kills immediately.
    """

    timeout_s: float = 30.0
    memory_bytes: int = 1024 * MIB
    address_space_bytes: int | None = None
    response_bytes: int = MIB
    attached_bytes: int = 16 * MIB
    output_bytes: int = 64 * KIB
    error_characters: int = 4000
    file_bytes: int = 64 * MIB
    scratch_bytes: int = 128 * MIB
    open_files: int = 256
    processes: int = 64
    grace_s: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """One call of one tool.

    Attributes:
        run_id: chosen by the caller.
        owner: who shares slots and queue with others (see `toolshelf_core.fairness`), "" for
            commands.
        reference: the factory, "module:attribute", as in `FactoryInfo.reference`.
        version: version of the distribution; each version is imported separately.
        forks_safely: False for a factory whose import starts threads: each run then imports it
            again.
        configuration: passed to a configurable factory, {} if it is None. It may contain secrets.
        environment: environment variables that only this factory sees. It may contain secrets.
        network: "none": no connections; "outward": HTTP and HTTPS to public addresses, through a
            proxy of the worker; "all": as the site itself.
    """

    run_id: str
    reference: str
    owner: str = ""
    parameters: JSON = field(default_factory=dict, repr=False)
    configuration: JSON = field(default=None, repr=False)
    version: str = ""
    forks_safely: bool = True
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    network: Network = "all"
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Progress:
    """The latest progress that a tool reported, in its own units."""

    done: float
    total: float | None
    message: str


@dataclass(frozen=True, slots=True)
class Output:
    """Text from stdout and stderr so far, and how many bytes of each were dropped."""

    stdout: str = field(default="", repr=False)
    stderr: str = field(default="", repr=False)
    stdout_dropped: int = 0
    stderr_dropped: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class RunEnd(Output):
    """How a run ended, and its output.

    Attributes:
        outcome: "returned" (there is a response), "raised" (the tool failed, or its request could
            not be read, or its response could not be written: see `error`), "timed_out",
            "cancelled", "crashed" (its process ended before there was a response).
        response: the response; if `is_cut`, the beginning of its JSON text.
        files: those of the response; if `is_cut`, possibly the whole response too.
        http_status: with which the API of an OpenAPI document answered; None for other tools.
        error: a plain sentence, then a traceback if there is one; None for "returned".
        queue_ms, start_ms, call_ms: time in the queue; to prepare the process and the tool; of the
            call itself, or None if the tool was not called.
    """

    outcome: Outcome
    response: JSON = field(default=None, repr=False)
    has_response: bool = False
    is_cut: bool = False
    files: tuple[ResponseFile, ...] = field(default=(), repr=False)
    http_status: int | None = None
    error: str | None = None
    queue_ms: float = 0.0
    start_ms: float = 0.0
    call_ms: float | None = None
    progress: Progress | None = None
