"""The tool that is tried, and how its user may run it."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest

from accounts.models import User
from catalog.access.rights import Answer, may
from catalog.sources.models import Source
from catalog.tools.lookup import revision_of
from catalog.tools.models import Revision, Tool
from playground.configurations.compiled_spec import CompiledSpec, compiled_spec_of
from playground.factories.connections import factory_of
from playground.factories.info import FactoryInfo
from playground.runs import visitors
from playground.runs.models import RunQuerySet
from playground.runs.visitors import VISITOR_TIMEOUT_S
from toolshelf_core.encryption import PageTokens


@dataclass(frozen=True)
class TrialSubject:
    """One tool and one user.

    Attributes:
        factory: runs the tool; None if nothing does.
        run_right: whether the user may run the tool. Users who may not still get mocks, which are
            not stored.
        is_visitor: whether the user may not run tools, except for this one, which is built in.
        visitor_runs: the runs that this browser has started as a visitor.
        seal: encrypts secrets in the page.
    """

    tool: Tool
    revision: Revision
    user: User | AnonymousUser
    compiled_spec: CompiledSpec
    factory: FactoryInfo | None
    run_right: Answer
    is_visitor: bool
    visitor_runs: RunQuerySet
    seal: PageTokens

    @property
    def is_configurable(self) -> bool:
        return self.compiled_spec.configuration is not None

    @property
    def has_working_factory(self) -> bool:
        return self.factory is not None and self.factory.state == "ok"

    @property
    def can_run_live(self) -> bool:
        """Whether the tool can be called by this user."""
        return self.has_working_factory and (bool(self.run_right) or self.is_visitor)

    @property
    def why_not_live(self) -> str:
        """Why the tool cannot be called; "" if it can."""
        if self.factory is None:
            return "Mock only."
        if self.factory.listed is not None:
            return self.factory.error or ""
        if self.has_working_factory:
            return ""
        return "Mock only: the code that runs this tool is broken."

    @property
    def source(self) -> Source | None:
        """The source that the tool runs through."""
        if self.factory is None or self.factory.listed is None:
            return None
        return self.factory.listed.source

    @property
    def default_timeout_s(self) -> int:
        return int(VISITOR_TIMEOUT_S if self.is_visitor else settings.RUN_TIMEOUT_S)

    def choose_mode(self, asked: str, *, default: str = "live") -> str:
        """The mode of a run, "live" or "mock": the one `asked` for if it is possible."""
        if not self.can_run_live:
            return "mock"
        return asked if asked in {"live", "mock"} else default


def find_subject(request: HttpRequest, tool: Tool) -> TrialSubject:
    """The current revision of `tool`, what runs it, and the rights of the user of `request`."""
    revision = revision_of(tool)
    factory = factory_of(tool)
    run_right = may(request.user, "run", tool)
    return TrialSubject(
        tool,
        revision,
        request.user,
        compiled_spec_of(revision),
        factory,
        run_right,
        is_visitor=not run_right and visitors.may_run(factory),
        visitor_runs=visitors.runs_of(request),
        seal=PageTokens(str(request.user.pk), tool.slug),
    )
