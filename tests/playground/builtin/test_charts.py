import zlib

import pytest

from playground.builtin.draw_chart import HEIGHT, WIDTH, draw, short
from tests.playground.builtin.calls import call_tool


def test_a_chart_is_an_image_of_the_declared_size():
    content = draw([1, 2])

    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    begin = content.index(b"IDAT") + 4
    length = int.from_bytes(content[begin - 8 : begin - 4], "big")
    pixels = zlib.decompress(content[begin : begin + length])
    assert len(pixels) == HEIGHT * (1 + WIDTH // 4)  # a filter and two bits a pixel


def test_shares_add_up_and_the_report_begins_with_the_greatest():
    bars = [{"label": "a", "value": 1}, {"label": "b", "value": 3}]

    response = call_tool("draw_chart", {"title": "Votes", "bars": bars})

    assert [row["percent"] for row in response["rows"]] == [25, 75]
    assert response["report"] == "## Votes\n\n- **b**: 3 (75 %)\n- **a**: 1 (25 %)"


def test_a_chart_of_zeros_has_no_bars_and_no_shares():
    response = call_tool("draw_chart", {"bars": [{"label": "a", "value": 0}]})

    assert response["rows"] == [{"label": "a", "value": 0, "percent": 0}]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (0.001, "0"), (0.5, "0.5"), (99.99, "100"), (999.9, "1000"), (1500, "1.5k"),
        (999_999, "1000k"), (1e12, "1000G"),
    ],
)  # fmt: skip
def test_a_number_above_a_bar_is_short(value, text):
    assert short(value) == text


def test_the_greatest_and_most_bars_fit():
    assert draw([1e12] * 12) != draw([0] * 12)
