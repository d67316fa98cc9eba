"""A tool whose response is a file, has files in it, is very long, or comes from a coroutine or generator."""

import asyncio
import base64
import io
import struct
import wave
import zlib
from pathlib import Path

from toolshelf_tools import File, Progress

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


def picture(width=480, height=270):
    """A PNG with a gradient."""
    rows = b"".join(
        b"\0" + b"".join(bytes((x * 255 // width, y * 255 // height, 140)) for x in range(width))
        for y in range(height)
    )

    def chunk(kind, data):
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def sound():
    """A second of silence as WAV."""
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setparams((1, 1, 8000, 8000, "NONE", ""))
        out.writeframes(b"\x80" * 8000)
    return file.getvalue()


def written(name, content):
    Path(name).write_bytes(content)
    return Path(name)


RESPONSES = {
    "pixel": lambda _: PIXEL,
    "picture": lambda _: written("gradient.png", picture()),
    "sound": lambda _: File(sound(), name="silence.wav"),
    "drawing": lambda _: File(SVG, media_type="image/svg+xml", name="drawing.svg"),
    "page": lambda _: File(b"<script>alert(1)</script>", name='a"b/c.html'),
    "archive": lambda _: File(b"PK\x03\x04", name="all files.zip"),
    "report": lambda _: {
        "title": "Sales",
        "charts": [File(PIXEL, name="a.png"), File(b"a,b\n1,2\n", name="b.csv")],
    },
    "secret": lambda request: [
        File(f"key={request['key']}\n".encode()),
        File(b"\xff" + request["key"].encode()),
    ],
    "typed": lambda request: File(b"x", media_type=f"text/{request['key']}", name="x.txt"),
    "long": lambda request: {
        "items": [f"{request.get('key', '')} item {number}" for number in range(100_000)]
    },
    "longer": lambda _: "x" * 20_000_000,
}


class Responding:
    def call(self, request):
        return RESPONSES[request["what"]](request)


class Factory:
    def tool_id(self):
        return "responding"

    def create(self):
        return Responding()


class Steps:
    """An async generator with an async factory."""

    def __init__(self, loop):
        self.loop = loop

    async def call(self, request):
        assert asyncio.get_running_loop() is self.loop
        for number in range(request["count"]):
            yield Progress(number + 1, request["count"], f"step {number + 1}")
            yield f"did step {number + 1}"
            await asyncio.sleep(request.get("seconds", 0))
        yield {"steps": request["count"]}


class StepsFactory:
    def tool_id(self):
        return "steps"

    async def create(self):
        return Steps(asyncio.get_running_loop())
