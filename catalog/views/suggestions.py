"""Suggestions for the search field of the list."""

from __future__ import annotations

from dataclasses import asdict

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from catalog.listing.suggestions import suggestions_for
from catalog.models import Audience


@require_safe
def query_suggestions(request: HttpRequest) -> JsonResponse:
    """What may replace the end of `?q=` from `start` on: {"start", "suggestions": [{"text", "note"}]}."""
    query = request.GET.get("q", "").replace("\x00", " ")
    start, found = suggestions_for(query, Audience.objects.visibility_for(request.user))
    return JsonResponse({"start": start, "suggestions": [asdict(one) for one in found]})
