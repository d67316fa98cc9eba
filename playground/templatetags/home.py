"""The parts of the first page (`{% load home %}`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django import template
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.template.context import Context
from django.urls import reverse

from accounts.models import Person, User
from catalog.access.models import Audience
from catalog.index.visibility import Visibility
from catalog.search.figures import Overview, overview_for
from catalog.search.groups import visible_groups
from catalog.tools.models import Tool
from playground.home.attention import BROKEN, Concern, list_concerns
from playground.home.breaking_change import BreakingChange, find_breaking_change
from playground.home.demonstration import find_demonstration
from playground.home.page import Week, count_week, list_latest_stars, list_recent_tools
from playground.mcp.addresses import address_of_catalog, address_of_toolkit
from playground.mcp.clients import claude_code
from playground.runs import visitors

register = template.Library()


@dataclass(frozen=True, slots=True)
class Activity:
    """What a person sees instead of the demonstration."""

    concerns: list[Concern]
    recent: list[Tool]
    starred: list[Tool]
    week: Week


@dataclass(frozen=True, slots=True)
class MockServer:
    """A toolkit, its number of tools, its page, and the command that connects to its mocks.

    0 tools mean the whole catalog.
    """

    toolkit: str
    tools: int
    page: str
    command: str
    needs_token: bool


@register.simple_tag(takes_context=True)
def activity(context: Context) -> Activity | None:
    """The present user's tools, runs and concerns.

    There are none for a visitor, and for a person who has not begun yet.
    """
    user = _user(context)
    if not isinstance(user, User):
        return None
    week, recent = count_week(user), list_recent_tools(user)
    concerns = list_concerns(user, week, context["changes_to_review"])
    starred = list_latest_stars(user, besides=recent)
    is_begun = recent or starred or any(concern.kind != BROKEN for concern in concerns)
    if not is_begun:
        return None
    return Activity(concerns, recent, starred, week)


@register.simple_tag(takes_context=True)
def visibility_of_user(context: Context) -> Visibility:
    """The tools that the present user sees, for the tags below; by a query."""
    return Audience.objects.visibility_for(_user(context))


@register.simple_tag
def catalog_overview(visibility: Visibility) -> Overview:
    """The number of visible tools, and some toolkits."""
    return overview_for(visibility)


@register.inclusion_tag("playground/home/_demonstration.html", takes_context=True)
def demonstration(context: Context, visibility: Visibility) -> dict[str, Any]:
    """The live demonstration, with the visitor's run that `?run=` names.

    It shows nothing where it cannot run.
    """
    shown = find_demonstration(visibility)
    request = context.get("request")
    if shown is None or request is None:
        return {}
    run = visitors.runs_of(request).filter(pk=request.GET.get("run", ""), tool=shown.tool).first()
    shown = replace(shown, run=run)
    return {"demonstration": shown, "csrf_token": context.get("csrf_token")}


@register.simple_tag
def breaking_change() -> BreakingChange:
    return find_breaking_change()


@register.simple_tag(takes_context=True)
def mock_server(context: Context, visibility: Visibility) -> MockServer:
    """The largest visible toolkit, else the whole catalog, as a server of mocks."""
    site = context["request"].build_absolute_uri("/")
    groups = [each for each in visible_groups("toolkit", visibility) if "/" not in each.name]
    needs_token = not settings.ANONYMOUS_BROWSING
    if not groups:
        server = address_of_catalog(mock=True).server(site)
        page = reverse("playground:connect")
        return MockServer("", 0, page, claude_code(server, with_token=needs_token), needs_token)
    group = groups[0]
    server = address_of_toolkit(group.name, mock=True).server(site)
    page = reverse("playground:connect_toolkit", args=[group.name])
    command = claude_code(server, with_token=needs_token)
    return MockServer(group.name, group.tools, page, command, needs_token)


def _user(context: Context) -> Person:
    return context.get("user") or AnonymousUser()  # an error page has none
