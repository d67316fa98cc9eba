"""Which tools a person may see, as conditions of the index and of the database.

Tools that not everyone may see belong to an audience (catalog/access/models.py), and the index has
its token `v_<key>`. A person's visibility is the set of audiences that they do not belong to: empty
on a site without restricted tools, so its queries have no condition. Results are cached by it, so
people with the same rights share them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from catalog.index import Match
from catalog.index.boolean_query import Expression, Token, any_of


@dataclass(frozen=True, slots=True)
class Visibility:
    """The tools that a person sees: all except those of the `hidden` audiences (primary keys).

    `only`: keys of toolkits; other tools are hidden, too. None does not limit, an empty set hides
    everything.
    """

    hidden: frozenset[int] = frozenset()
    only: frozenset[str] | None = None

    @property
    def is_complete(self) -> bool:
        """Whether no tool is hidden."""
        return not self.hidden and self.only is None

    @property
    def hidden_tools(self) -> Expression:
        """Matches the tools of the hidden audiences; there is at least one."""
        return any_of(Token(audience_token(key)) for key in sorted(self.hidden))

    def sees(self, audience: int | None, toolkit_key: str) -> bool:
        """Whether a tool of this audience (None: everyone) and toolkit is visible."""
        return audience not in self.hidden and (self.only is None or toolkit_key in self.only)

    def limit(self, match: Match) -> Match:
        """`match`, without hidden tools."""
        if self.hidden:
            match = replace(match, excluded=(*match.excluded, self.hidden_tools))
        if self.only is None:
            return match
        if not self.only:
            return replace(match, among=frozenset())
        toolkits = any_of(Token(f"kx_{key}") for key in sorted(self.only))
        return replace(match, required=(*match.required, toolkits))


ALL_TOOLS = Visibility()


def audience_token(key: int) -> str:
    """The token of the tools of an audience in the index."""
    return f"v_{key}"
