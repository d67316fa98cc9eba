"""A bar chart as a PNG image, with its numbers as a table and a report in Markdown: a response that is more than JSON.

Source of the format: Portable Network Graphics (PNG) Specification, third edition, with RFC 1950
and RFC 1951.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any, Final

from playground.builtin.rounding import rounded
from playground.builtin.shipped import SPECS
from toolshelf_tools import File, tool

WIDTH, HEIGHT = 480, 240  # pixels
MARGIN: Final = 16
DIGIT: Final = 2  # pixels of a dot of a digit, which is 3 dots wide and 5 high
BACKGROUND, AXIS, BAR, TEXT = range(4)
PALETTE: Final = bytes.fromhex("ffffff 7b888d 0a6577 172023")
# The rows of each digit from the top, of three bits.
DIGITS: Final = {
    "0": "75557", "1": "26227", "2": "71747", "3": "71717", "4": "55711",
    "5": "74717", "6": "74757", "7": "71111", "8": "75757", "9": "75717",
    ".": "00002", "k": "55655", "M": "57755", "G": "74557",
}  # fmt: skip
UNITS: Final = ((1e9, "G"), (1e6, "M"), (1e3, "k"))

Canvas = list[bytearray]  # rows of pixels, each the index of a colour


@tool(spec=SPECS / "draw_chart.json")
def draw_chart(bars: list[dict[str, Any]], title: str = "Chart") -> dict[str, Any]:
    values = [bar["value"] for bar in bars]
    total = sum(values)
    rows = []
    for bar in bars:
        share = bar["value"] / total * 100 if total else 0
        rows.append({**bar, "percent": rounded(share, significant_digits=3)})
    return {
        "chart": File(draw(values), media_type="image/png", name="chart.png"),
        "rows": rows,
        "report": report(title, rows),
    }


def report(title: str, rows: list[dict[str, Any]]) -> str:
    """The numbers in Markdown, the greatest first."""
    lines = [f"## {title}", ""]
    greatest_first = sorted(rows, key=lambda row: -row["value"])
    lines += [
        f"- **{row['label']}**: {row['value']} ({row['percent']} %)" for row in greatest_first
    ]
    return "\n".join(lines)


def draw(values: list[float]) -> bytes:
    """A PNG image with a bar for each value, which stands above it."""
    canvas = [bytearray([BACKGROUND]) * WIDTH for _ in range(HEIGHT)]
    bottom, top = HEIGHT - MARGIN, MARGIN + 8 * DIGIT
    step = (WIDTH - 2 * MARGIN) / len(values)
    scale = (bottom - top) / (max(values) or 1)
    for number, value in enumerate(values):
        left, right = (MARGIN + round(step * (number + part)) for part in (0.15, 0.85))
        height = round(value * scale)
        fill(canvas, (left, bottom - height, right, bottom), BAR)
        write(canvas, short(value), (left + right) // 2, bottom - height - 7 * DIGIT)
    fill(canvas, (MARGIN, bottom, WIDTH - MARGIN, bottom + 2), AXIS)
    return png(canvas)


def fill(canvas: Canvas, box: tuple[int, int, int, int], colour: int) -> None:
    """Fill a box, given by its left, upper, right and lower edge."""
    left, top, right, bottom = box
    for row in canvas[top:bottom]:
        row[left:right] = bytes([colour]) * (right - left)


def write(canvas: Canvas, text: str, middle: int, top: int) -> None:
    """Write digits around `middle`."""
    left = middle - 2 * DIGIT * len(text)
    for position, character in enumerate(text):
        for y, bits in enumerate(map(int, DIGITS[character])):
            for x in range(3):
                if bits & 4 >> x:
                    at_x, at_y = left + (4 * position + x) * DIGIT, top + y * DIGIT
                    fill(canvas, (at_x, at_y, at_x + DIGIT, at_y + DIGIT), TEXT)


def short(value: float) -> str:
    """At most four digits: "12", "1.5", "340k"."""
    unit = ""
    for size, name in UNITS:
        if value >= size:
            value, unit = value / size, name
            break
    if value < 0.01:
        return "0"
    digits = f"{value:.3g}" if value < 100 else f"{value:.0f}"
    return f"{digits}{unit}"


def png(canvas: Canvas) -> bytes:
    """The image with two bits a pixel, uncompressed: so its bytes are the same with every version of zlib."""
    data = bytearray()
    for row in canvas:
        data.append(0)  # no filter
        for a, b, c, d in zip(*[iter(row)] * 4, strict=True):
            data.append(a << 6 | b << 4 | c << 2 | d)
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 2, 3, 0, 0, 0)
    stored = b"\x78\x01\x01" + struct.pack("<HH", len(data), len(data) ^ 0xFFFF) + data
    image = stored + struct.pack(">I", zlib.adler32(data))
    chunks = ((b"IHDR", header), (b"PLTE", PALETTE), (b"IDAT", image), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(kind, content) for kind, content in chunks)


def chunk(kind: bytes, content: bytes) -> bytes:
    checksum = struct.pack(">I", zlib.crc32(kind + content))
    return struct.pack(">I", len(content)) + kind + content + checksum
