import pytest
from django.template import Context, Template
from selectolax.lexbor import LexborHTMLParser


def head(columns):
    drawn = Template("{% load tables %}<table>{% stacked_head " + columns + " %}</table>").render(
        Context()
    )
    return LexborHTMLParser(drawn).css(
        "thead[role=rowgroup] > tr[role=row] > th[role=columnheader][scope=col]"
    )


def test_a_heading_is_at_the_right_or_for_screen_readers_alone():
    tool, score, actions = head('"Tool" "Score|number" "Actions|hidden"')

    assert [tool.html, score.attributes["class"]] == [
        '<th role="columnheader" scope="col">Tool</th>',
        "number",
    ]
    assert actions.css_first(".visually-hidden").text() == "Actions"


def test_a_heading_of_an_unknown_kind_is_refused():
    with pytest.raises(KeyError, match="numbre"):
        head('"Score|numbre"')
