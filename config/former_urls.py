"""Redirects from former URLs of pages, for one version."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponsePermanentRedirect,
    HttpResponseRedirect,
)
from django.urls import URLPattern, path
from django.views.decorators.http import require_safe

FORMER: Final[dict[str, str]] = {
    "upload/": "/add/",
    "changes/": "/review/",
    "changes/<int:pk>/": "/review/{pk}/",
    "sources/<str:name>/changes/<int:pk>/": "/review/{pk}/",
    "tags/": "/tools/",
    "toolkits/": "/tools/",
    "toolkits/<str:name>/": "/tools/?toolkit={name}",
    "toolkits/<str:name>/access/": "/toolkits/{name}/settings/",
    "toolkits/<str:name>/export/": "/toolkits/{name}/settings/?format=mcp",
    "tools/<str:slug>/examples/": "/tools/{slug}/tests/",
    "tools/<str:slug>/revisions/": "/tools/{slug}/changes/",
    "tools/<str:slug>/revisions/<str:pair>/": "/tools/{slug}/changes/{pair}/",
    "tools/<str:slug>/spec/": "/tools/{slug}/formats/spec/",
    "tools/<str:slug>/compatibility/": "/tools/{slug}/formats/",
    "tools/<str:slug>/exports/<str:key>/": "/tools/{slug}/formats/{key}/",
    "tools/<str:slug>/code/<str:key>/": "/tools/{slug}/formats/{key}/",
    "tools/<str:slug>/changes/compare/": "/tools/{slug}/changes/",
    "tools/<str:slug>/changes/<int:number>/restore/difference/": (
        "/tools/{slug}/changes/{number}/restore/"
    ),
    "tools/<str:slug>/similar/<str:other>/": "/tools/{slug}..{other}/",
    "tools/<str:slug>/organise/": "/tools/{slug}/settings/",
    "help/connections/": "/help/sources/",
    "help/verdicts/": "/help/try/",
    "help/organise/": "/help/rights/",
    "help/semantic-diff/": "/help/review/",
    "help/logs/": "/help/operations/",
    "help/figures/": "/help/",
    "help/architecture/": "/help/",
    "tools/<str:slug>/access/": "/tools/{slug}/settings/",
}


@require_safe
def redirect_to_comparison(request: HttpRequest) -> HttpResponse:
    """Redirect from the comparison of the tools `?tool=…&tool=…`."""
    slugs = [quote(slug, safe="") for slug in request.GET.getlist("tool")]
    if len(slugs) != 2:
        return HttpResponseRedirect("/tools/")
    return HttpResponsePermanentRedirect(f"/tools/{slugs[0]}..{slugs[1]}/")


@require_safe
def redirect_to(request: HttpRequest, template: str, **parts: object) -> HttpResponse:
    """Redirect to `template`, filled with the parts of the former URL, with the complete query."""
    url = template.format(**{name: quote(str(part), safe="") for name, part in parts.items()})
    if query := request.META["QUERY_STRING"]:
        separator = "&" if "?" in url else "?"
        url = f"{url}{separator}{query}"
    return HttpResponsePermanentRedirect(url)


urlpatterns: list[URLPattern] = [
    path("selection/compare/", redirect_to_comparison),
    *(path(route, redirect_to, {"template": template}) for route, template in FORMER.items()),
]
