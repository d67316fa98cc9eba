"""The playground's part of the first page (`{% load home %}`)."""

from __future__ import annotations

from typing import Any

from django import template
from django.contrib.auth.models import AnonymousUser
from django.template.context import Context
from django.urls import reverse

from catalog.accounts.models import Person, User
from catalog.listing.figures import Figures, figures_for
from catalog.models import Audience
from catalog.stars import starred_ids
from playground.home.attention import concerns_of
from playground.home.page import latest_stars, recent_tools, tool_to_begin_with, week_of

register = template.Library()


@register.simple_tag(takes_context=True)
def try_url(context: Context) -> str:
    """The form of a tool with its first example filled in, so that one press runs it; without a tool, the catalog."""
    tool = tool_to_begin_with(_user(context))
    if tool is None:
        return reverse("catalog:tool_list")
    return f"{reverse('playground:try', args=[tool.slug])}?example=1"


@register.simple_tag(takes_context=True)
def catalog_figures(context: Context) -> Figures:
    """The number of tools that the present user sees, their toolkits, scores and formats."""
    return figures_for(Audience.objects.visibility_for(_user(context)))


@register.inclusion_tag("playground/_activity.html", takes_context=True)
def activity(context: Context) -> dict[str, Any]:
    """The present user's tools, runs and concerns; nothing for a visitor."""
    user = _user(context)
    if not isinstance(user, User):
        return {}
    week = week_of(user)
    recent = recent_tools(user)
    concerns, more_concerns = concerns_of(user, week, context["changes_to_review"])
    return {
        "user": user,
        "recent": recent,
        "starred_tools": latest_stars(user, besides=recent),
        "starred": starred_ids(user),
        "week": week,
        "concerns": concerns,
        "more_concerns": more_concerns,
    }


def _user(context: Context) -> Person:
    return context.get("user") or AnonymousUser()  # an error page has none
