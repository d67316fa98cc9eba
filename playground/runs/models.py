"""Runs of tools, and the files of their responses."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Sequence
from datetime import timedelta
from functools import cached_property
from typing import ClassVar, Self

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import models
from django.db.models.functions import Substr
from django.urls import reverse
from django.utils import timezone

from accounts.models import Person, User
from accounts.roles import has_scope_of_token, is_administrator, membership_of
from catalog.access.models import Audience, is_visible
from catalog.access.rights import may
from catalog.tools.models import Revision, Tool
from toolspec.errors import Problem
from toolspec.text import reader
from toolspec.text.containers import members_of
from toolspec.text.reader import JSON

ACTIVE = ("queued", "running")
ENDED = ("returned", "raised", "timed_out", "cancelled", "crashed", "refused")
OUTCOMES = (*ACTIVE, *ENDED)
VERDICTS = ("conforms", "violates", "unchecked")
MODES = ("live", "mock")
VISITOR = "visitor"  # the mode of a live run without a person (`playground.runs.visitors`)
DRAFT = "draft"  # the mode of a live run of a draft, which its author tries (`running.start_draft`)
UNLISTED = (VISITOR, DRAFT)
COUNTED = ("outcome", "verdict", "mode", "call_ms")  # in each index of runs
START_CHARACTERS = 200  # of the parameters in a list
NAME_OF_MEMBER = re.compile(r'"([\w.-]+)": ?')
INTERFACES = ("page", "api", "command", "check", "mcp")
# Images and sounds that a browser shows without running anything in them. An SVG or a page may have
# scripts.
IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
SOUNDS = frozenset(
    {
        "audio/mpeg", "audio/wav", "audio/x-wav", "audio/ogg", "audio/webm", "audio/mp4",
        "audio/aac", "audio/flac",
        "audio/x-flac",
    }
)  # fmt: skip


def new_run_id() -> str:
    """A new id: 32 hex digits of a UUID version 7, so that ids sort by time and cannot be guessed.

    The time has a resolution of a quarter of a microsecond (RFC 9562, section 6.2, method 3); the
    rest is 62 random bits.
    """
    milliseconds, rest_ns = divmod(time.time_ns(), 1_000_000)
    fraction = rest_ns * 4096 // 1_000_000
    value = milliseconds << 80 | 7 << 76 | fraction << 64 | 2 << 62 | secrets.randbits(62)
    return f"{value:032x}"


class RunQuerySet(models.QuerySet["Run"]):
    def visible_to(self, person: Person) -> Self:
        """The runs that `person` may see, of tools that they may see.

        Their own, and those that are shared with one of their groups; administrators see all. A
        token without the scope `read` shows only the runs of its user.
        """
        if not isinstance(person, User):
            return self.none()
        visibility = Audience.objects.visibility_for(person)
        return self.filter(is_visible(visibility, "tool__")).of_visible_tools(person)

    def of_visible_tools(self, person: Person) -> Self:
        """As `visible_to`, without its query: for runs of tools that `person` is known to see."""
        if not isinstance(person, User):
            return self.none()
        if not has_scope_of_token(person, "read"):
            return self.filter(by=person)
        if is_administrator(person):
            return self
        groups = membership_of(person).groups
        if not groups:
            return self.filter(by=person)
        shared = Run.groups.through.objects.filter(group__in=groups).values("run")
        return self.filter(models.Q(by=person) | models.Q(pk__in=shared))

    def active(self) -> Self:
        """The runs that have not ended."""
        return self.filter(outcome__in=ACTIVE)

    def waiting(self) -> Self:
        """The runs that were sent to Celery's workers and are not claimed yet.

        They have no host.
        """
        return self.filter(outcome="queued", host="")

    def without_texts(self) -> Self:
        """For lists: without loading the columns that can be long."""
        return self.defer(
            "parameters_json",
            "response_json",
            "problems_json",
            "mock_json",
            "stdout",
            "stderr",
            "error",
        )

    def with_parameters_start(self) -> Self:
        """With the beginning of the parameters, for `Run.parameters_line`."""
        return self.annotate(parameters_start=Substr("parameters_json", 1, START_CHARACTERS))

    def with_names(self) -> Self:
        """With tool, revision and user loaded, except the spec's text."""
        return self.select_related("tool", "revision", "by").defer(
            "revision__source", "tool__description"
        )


# The base class is made at run time.
class PeopleRuns(models.Manager.from_queryset(RunQuerySet)):  # type: ignore[misc]
    """All runs except those of visitors and of drafts, which are in no list, count or sample."""

    def get_queryset(self) -> RunQuerySet:
        runs: RunQuerySet = super().get_queryset()
        return runs.exclude(mode__in=UNLISTED)


class Run(models.Model):
    """One call of one tool, and its result.

    Columns whose names end in `_json` are exact JSON: numbers are stored as they were written. The
    configuration's secrets are removed from everything that is stored here.
    """

    id = models.CharField(primary_key=True, max_length=32, default=new_run_id, editable=False)
    tool = models.ForeignKey(Tool, on_delete=models.PROTECT, related_name="runs", db_index=False)
    revision = models.ForeignKey(
        Revision, on_delete=models.PROTECT, related_name="runs", db_index=False
    )
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.CASCADE,
        related_name="runs",
        db_index=False,
    )  # a run is private: it is deleted with the person
    groups = models.ManyToManyField(Group, blank=True, related_name="+")  # with whom it is shared
    mode = models.CharField(
        max_length=8, choices=[(mode, mode) for mode in (*MODES, *UNLISTED)], default="live"
    )
    outcome = models.CharField(
        max_length=12, choices=[(outcome, outcome) for outcome in OUTCOMES], default="queued"
    )

    parameters_json = models.TextField()
    # None: no response. A response can be any JSON.
    response_json = models.TextField(null=True)  # noqa: DJ001
    # Then the response is a string: the beginning of its JSON text.
    response_cut = models.BooleanField(default=False)
    file_count = models.PositiveSmallIntegerField(default=0)  # rows of RunFile
    verdict = models.CharField(max_length=10, blank=True)  # of VERDICTS; "" if there is no response
    verdict_reason = models.TextField(blank=True)  # why "unchecked"
    problems_json = models.TextField(default="[]")
    problems_truncated = models.BooleanField(default=False)
    error = models.TextField(blank=True)
    # How a mock's response was made: `playground.runs.mocks.Mock.as_json()`.
    mock_json = models.TextField(blank=True)
    stdout = models.TextField(blank=True)
    stderr = models.TextField(blank=True)
    stdout_dropped = models.PositiveBigIntegerField(default=0)  # bytes
    stderr_dropped = models.PositiveBigIntegerField(default=0)

    factory = models.CharField(max_length=200, blank=True)  # "toolshelf 0.1.0"
    # "" if there was no configuration.
    configuration_fingerprint = models.CharField(max_length=64, blank=True)
    # `SavedConfiguration.reference_for` its user.
    configuration_name = models.CharField(max_length=255, blank=True)
    timeout_s = models.FloatField(default=0)

    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True)  # when it left the queue
    finished_at = models.DateTimeField(null=True)
    # Waiting runs of one host start in this order, then by id.
    turn = models.PositiveBigIntegerField(default=0)
    queue_ms = models.FloatField(null=True)
    start_ms = models.FloatField(null=True)  # to prepare the process and create the tool
    # Of the call itself; None if the run did not get that far.
    call_ms = models.FloatField(null=True)
    check_ms = models.FloatField(null=True)  # to check the response
    progress_done = models.FloatField(null=True)
    progress_total = models.FloatField(null=True)
    progress_message = models.CharField(max_length=200, blank=True)

    # Of INTERFACES; "" if it was not recorded.
    interface = models.CharField(max_length=8, blank=True)
    # Identifies the MCP request, which may be cancelled.
    mcp_request = models.CharField(max_length=64, blank=True)

    example_check = models.ForeignKey(
        "ExampleCheck", null=True, on_delete=models.SET_NULL, related_name="runs"
    )
    # Counts the revision's examples, from 1.
    example_number = models.PositiveSmallIntegerField(null=True)

    # playground.runs.process_id; "" until a Celery worker claims it.
    host = models.CharField(max_length=60, blank=True)
    seen_at = models.DateTimeField(null=True)  # the host's last sign of life, for long runs
    cancel_requested_at = models.DateTimeField(null=True)

    objects: ClassVar[RunQuerySet] = PeopleRuns()
    every: ClassVar[RunQuerySet] = RunQuerySet.as_manager()  # type: ignore[assignment]

    parameters_start: str  # only `with_parameters_start()`
    new_files: Sequence[RunFile] = ()  # of a run that has ended, and is about to be stored

    class Meta:
        ordering = ["-id"]
        indexes = [
            # With the columns that a list's chart counts, so that it reads no rows, which are long.
            models.Index(fields=["-id", *COUNTED], name="run_by_time"),
            models.Index(fields=["by", "-id", *COUNTED], name="run_by_person"),
            models.Index(fields=["tool", "-id", *COUNTED], name="run_by_tool"),
            # No partial index of active runs: SQLite cannot use one for a query whose outcomes are
            # parameters.
            models.Index(fields=["outcome", "host"], name="run_by_outcome"),
        ]

    def __str__(self) -> str:
        return f"run {self.id}"

    def get_absolute_url(self) -> str:
        if self.mode == VISITOR:
            return f"{reverse('playground:try', args=[self.tool.slug])}?run={self.id}"
        return reverse("playground:run", args=[self.id])

    def is_changeable_by(self, person: Person) -> bool:
        """Whether `person` may cancel and share it: their own runs.

        Administrators may change all.
        """
        if not isinstance(person, User):
            return False
        return self.by_id == person.pk or bool(may(person, "administer"))

    @property
    def is_active(self) -> bool:
        return self.outcome in ACTIVE

    @property
    def owner(self) -> str:
        """The user's key; "" for a command; all visitors are one owner.

        Slots and queues are shared between owners (`toolshelf_core.fairness`).
        """
        return VISITOR if self.mode == VISITOR else str(self.by_id or "")

    @property
    def configuration_label(self) -> str:
        """The saved configuration as pages show it: "work", or "work (shared by ada)"."""
        owner, slash, name = self.configuration_name.partition("/")
        return f"{name} (shared by {owner})" if slash else self.configuration_name

    @property
    def has_complete_input(self) -> bool:
        """Whether it can be repeated: a configuration without a name is not stored."""
        return not self.configuration_fingerprint or bool(self.configuration_name)

    @property
    def is_mock(self) -> bool:
        return self.mode == "mock"

    @property
    def has_response(self) -> bool:
        return self.response_json is not None

    @cached_property
    def parameters(self) -> JSON:
        return reader.loads(self.parameters_json, max_bytes=settings.RUN_PARAMETERS_BYTES * 2)

    @property
    def parameters_line(self) -> str:
        """The first parameters in one line, to tell runs apart: 'city: "Oslo", days: 3'.

        "" if there are none.

        Needs `RunQuerySet.with_parameters_start()`.
        """
        text = self.parameters_start
        if len(text) < START_CHARACTERS:
            text = text.removesuffix("}")
        return NAME_OF_MEMBER.sub(r"\1: ", text.removeprefix("{"))

    @cached_property
    def response(self) -> JSON:
        """The response; None if it is null, and if there is none."""
        if self.response_json is None:
            return None
        return reader.loads(self.response_json, max_bytes=settings.RUN_RESPONSE_BYTES * 8)

    def file_list(self) -> list[RunFile]:
        """Its files in order, without their contents. No query for a run without files."""
        return list(self.files.defer("content")) if self.file_count else []

    @cached_property
    def mock(self) -> dict[str, JSON]:
        return members_of(reader.loads(self.mock_json)) if self.mock_json else {}

    @cached_property
    def problems(self) -> list[Problem]:
        """Their pointers lead into the response.

        In a refused run, they begin with /parameters or /configuration.
        """
        problems = reader.loads(self.problems_json, max_bytes=4 * 1024 * 1024)
        return [Problem(**problem) for problem in problems]  # type: ignore[union-attr, arg-type]

    @property
    def duration_ms(self) -> float | None:
        """The time of the call itself; None if the tool was not called."""
        return self.call_ms

    @property
    def waited(self) -> timedelta:
        """The time from the request to the run's end, or until now."""
        return (self.finished_at or timezone.now()) - self.created_at


class RunFile(models.Model):
    """A file of a run's response.

    It is the whole response as JSON if only its beginning is in the run.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="files")
    number = models.PositiveSmallIntegerField()  # counts the run's files, from 1
    name = models.CharField(max_length=150)
    media_type = models.CharField(max_length=150)
    pointer = models.TextField(blank=True)  # JSON Pointer to its place in the response
    is_whole_response = models.BooleanField(default=False)
    size = models.PositiveBigIntegerField()  # bytes
    sha256 = models.CharField(max_length=64)  # of the content, in hex
    content = models.BinaryField()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["run", "number"], name="one_run_file_per_number")
        ]

    def __str__(self) -> str:
        return f"file {self.number} of {self.run_id}"

    def get_absolute_url(self) -> str:
        return reverse("playground:run_file", args=[self.run_id, self.number])

    @property
    def kind(self) -> str:
        """How a page shows it: "image", "audio", or "file", which it only offers for download."""
        if self.media_type in IMAGES:
            return "image"
        return "audio" if self.media_type in SOUNDS else "file"


class RunVolume(models.Model):
    """How many bytes of runs a person stored on one day (UTC); see `playground.runs.volume`."""

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    day = models.DateField()
    stored_bytes = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["person", "day"], name="one_volume_per_person_and_day")
        ]

    def __str__(self) -> str:
        return f"{self.person_id} on {self.day}"


class QueuedMessage(models.Model):
    """The message for a run that no Celery worker has claimed yet.

    It is stored so that it can be sent again, and removed when the run is claimed or ends.
    """

    run = models.OneToOneField(Run, primary_key=True, on_delete=models.CASCADE, related_name="+")
    # Encrypted with the first of `settings.CONFIGURATION_KEYS`; see celery/enqueue.py.
    encrypted = models.TextField()
    sent_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"message of run {self.run_id}"


class WorkerHeartbeat(models.Model):
    """A Celery worker that was connected to Redis at `seen_at` (see celery/heartbeats.py)."""

    host = models.CharField(primary_key=True, max_length=60)  # playground.runs.process_id
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.host
