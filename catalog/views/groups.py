"""The pages that list toolkits and tags."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from catalog.listing import groups
from catalog.listing.figures import cards_of
from catalog.models import Audience
from catalog.models.tools import TOOLKIT_LENGTH
from catalog.search.document import GroupKind
from catalog.views.parts import part_or_page

GROUPS_PER_PAGE: Final = 100
CARDS_PER_PAGE: Final = 48

_GROUP_PAGES: dict[GroupKind, dict[str, str]] = {
    "toolkit": {
        "title": "Toolkits",
        "noun": "toolkit",
        "lead": "Groups of tools, by the prefix of their ids or set by hand.",
        "empty": "A tool belongs to a toolkit if its id begins with a name and a dot, such as mail.send.",
    },
    "tag": {
        "title": "Tags",
        "noun": "tag",
        "lead": "Tags from the specs, and tags added by users.",
        "empty": "Tags come from definition.tags of a spec, or are added in the settings of a tool.",
    },
}


@require_safe
def group_list(request: HttpRequest, kind: GroupKind) -> HttpResponse:
    """All toolkits or tags: the largest first, by name with `?order=name`, or those with `?q=` in their names."""
    words = request.GET.get("q", "").strip()[:TOOLKIT_LENGTH]
    by_name = request.GET.get("order") == "name"
    visibility = Audience.objects.visibility_for(request.user)
    shown, after = groups.page_of(
        kind,
        visibility,
        containing=words,
        by_name=by_name,
        after=request.GET.get("after", ""),
        limit=CARDS_PER_PAGE if kind == "toolkit" else GROUPS_PER_PAGE,
    )
    query = ({"q": words} if words else {}) | ({"order": "name"} if by_name else {})
    context = {
        "kind": kind,
        **_GROUP_PAGES[kind],
        "groups": shown,
        "cards": cards_of(shown, visibility) if kind == "toolkit" else [],
        "words": words,
        "by_name": by_name,
        "next_url": "?" + urlencode({**query, "after": after}) if after else None,
    }
    return part_or_page(request, "catalog/_groups.html", "catalog/groups.html", context)
