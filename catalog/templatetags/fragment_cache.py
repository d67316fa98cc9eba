"""`{% cached %}…{% endcached %}`: parts that are the same on many pages, rendered once per process."""

from __future__ import annotations

from django import template
from django.template.base import FilterExpression, NodeList, Parser, Token
from django.template.context import Context
from django.utils.safestring import SafeString

register = template.Library()

MAX_CACHED = 100  # versions of one part


@register.tag
def cached(parser: Parser, token: Token) -> CachedNode:
    """The content, rendered once for each combination of the given values: `{% cached view %}`.

    The content must depend on these values only.
    """
    _, *values = token.split_contents()
    inside = parser.parse(("endcached",))
    parser.delete_first_token()
    return CachedNode(inside, [parser.compile_filter(value) for value in values])


class CachedNode(template.Node):
    def __init__(self, nodelist: NodeList, values: list[FilterExpression]) -> None:
        self.nodelist = nodelist
        self.values = values
        self.rendered: dict[tuple[object, ...], SafeString] = {}

    def render(self, context: Context) -> SafeString:
        key = tuple(value.resolve(context, ignore_failures=True) for value in self.values)
        rendered = self.rendered.get(key)
        if rendered is None:
            if len(self.rendered) >= MAX_CACHED:
                self.rendered.clear()
            rendered = self.rendered[key] = self.nodelist.render(context)
        return rendered
