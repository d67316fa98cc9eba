"""Pages of the site as trees of elements, and the texts in them."""

from selectolax.lexbor import LexborHTMLParser


def page(client, path, **options):
    """The page at `path`, which must be there."""
    answer = client.get(path, **options)
    assert answer.status_code == 200, answer.content
    return LexborHTMLParser(answer.content.decode())


def text_of(tree, selector):
    """The text of the first element that `selector` finds, with single spaces."""
    return " ".join(tree.css_first(selector).text().split())


def texts_of(tree, selector):
    """The same of each element that it finds."""
    return [" ".join(node.text().split()) for node in tree.css(selector)]
