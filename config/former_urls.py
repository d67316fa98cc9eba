"""Former addresses of pages, each with the page that it leads to. They stay for one version."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_safe

# former address: name of the page, and the parts of the former address that it has, too
FORMER: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "upload/": ("catalog:add", ()),
    "changes/": ("catalog:review_list", ()),
    "changes/<int:pk>/": ("catalog:review", ("pk",)),
    "sources/<str:name>/changes/<int:pk>/": ("catalog:review", ("pk",)),
    "tools/<str:slug>/organise/": ("catalog:tool_settings", ("slug",)),
    "tools/<str:slug>/access/": ("catalog:tool_settings", ("slug",)),
}


@require_safe
def redirect_to(
    request: HttpRequest, page: str, names: tuple[str, ...], **parts: object
) -> HttpResponse:
    """Redirect to `page` with the parts of the former address and the whole query."""
    url = reverse(page, args=[parts[name] for name in names])
    query = request.META["QUERY_STRING"]
    return HttpResponsePermanentRedirect(f"{url}?{query}" if query else url)


urlpatterns: list[URLPattern] = [
    path(former, redirect_to, {"page": page, "names": names})
    for former, (page, names) in FORMER.items()
]
