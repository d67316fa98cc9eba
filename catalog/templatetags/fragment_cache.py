"""`{% cached %}…{% endcached %}`: parts of a page that are the same on every page, drawn once in each process."""

from __future__ import annotations

from django import template
from django.template.base import FilterExpression, NodeList, Parser, Token
from django.template.context import Context
from django.utils.safestring import SafeString

register = template.Library()

MOST_KEPT = 100  # versions of one part


@register.tag
def cached(parser: Parser, token: Token) -> CachedNode:
    """What stands inside, drawn once for each combination of the values that are given: `{% cached view %}`.

    What is inside must depend on nothing but these values.
    """
    _, *values = token.split_contents()
    inside = parser.parse(("endcached",))
    parser.delete_first_token()
    return CachedNode(inside, [parser.compile_filter(value) for value in values])


class CachedNode(template.Node):
    def __init__(self, nodelist: NodeList, values: list[FilterExpression]) -> None:
        self.nodelist = nodelist
        self.values = values
        self.drawn: dict[tuple[object, ...], SafeString] = {}

    def render(self, context: Context) -> SafeString:
        key = tuple(value.resolve(context, ignore_failures=True) for value in self.values)
        drawn = self.drawn.get(key)
        if drawn is None:
            if len(self.drawn) >= MOST_KEPT:
                self.drawn.clear()
            drawn = self.drawn[key] = self.nodelist.render(context)
        return drawn
