"""Look up a source for a URL."""

from __future__ import annotations

from django.http import Http404

from catalog.sources.models import Source


def source_at(name: str) -> Source:
    """The source with this name; its document is read when it is asked for.

    Raises:
        Http404: there is none.
    """
    sources = Source.objects.select_related("owner").defer("document")
    source = sources.filter(name=name).first()
    if source is None:
        raise Http404
    return source
