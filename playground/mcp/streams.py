"""The response to a call as server-sent events: progress while its run lasts, then the result.

Closing the connection cancels the call, for clients since 2026-07-28. The server notices that only
when it sends, so it sends a comment every second.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse

from playground.mcp.calls import call_timeout_s
from playground.mcp.protocol import Message, notification_text, response_text
from playground.mcp.results import run_result
from playground.mcp.toolsets import Toolset, result_text
from playground.runs import running, waiting_room
from playground.runs.models import Run
from playground.runs.run_json import plain_number
from toolspec.exports.mcp_server import ServedTool

CONTENT_TYPE: Final = "text/event-stream"
# A call that lasts longer becomes a stream, so that the server notices if the client goes.
STREAM_AFTER_S: Final = 5.0
POLL_S: Final = 0.05
PING_S: Final = 1.0
_PING: Final = b": the call is active\r\n\r\n"


def write_event(text: str) -> bytes:
    """A server-sent event with a JSON-RPC message."""
    return f"event: message\r\ndata: {text}\r\n\r\n".encode()


@dataclass(eq=False)
class PendingCall:
    """A call whose run may be active and whose thread is in the waiting room.

    It gives its result, or all of its events.

    `close` ends it; the server calls that after a stream, even if the client has gone.

    Attributes:
        message: the request. Its `progress_token` marks progress notifications. Closing the
            connection of a modern one cancels the run.
        served: see `Call`.
        site: the URL of the site, for a link to the run.
    """

    run: Run
    message: Message
    toolset: Toolset
    served: ServedTool | None
    site: str
    _reported: float | None = None
    _is_open: bool = True

    def respond(self, accept: str) -> HttpResponseBase:
        """A stream if the client wants progress or the call lasts long, otherwise JSON.

        Args:
            accept: the header of the request.
        """
        is_streamed = False
        try:
            result = None
            if CONTENT_TYPE not in accept:
                result = self.result()
            elif self.message.progress_token is None:
                result = self.result_within(STREAM_AFTER_S)
            if result is not None:
                return HttpResponse(result, content_type="application/json")
            response = StreamingHttpResponse(self, content_type=CONTENT_TYPE)
            response["Cache-Control"] = "no-cache, no-transform"
            response["X-Accel-Buffering"] = "no"
            is_streamed = True
            return response
        finally:
            if not is_streamed:
                self.close()

    def result(self) -> str:
        """The response, once the run has ended.

        A run that has not even left the queue in time is cancelled.
        """
        return self.result_within(call_timeout_s(self.run)) or self._give_up()

    def result_within(self, timeout_s: float) -> str | None:
        """The response if the run ends within `timeout_s`; otherwise None."""
        self.run = running.wait_inside(self.run, timeout_s)
        return None if self.run.is_active else self._finish()

    def __iter__(self) -> Iterator[bytes]:
        deadline = time.monotonic() + call_timeout_s(self.run)
        last_write = time.monotonic()
        result = None
        while result is None and time.monotonic() < deadline:
            result = self.result_within(POLL_S)
            for text in self._report_progress():
                last_write = time.monotonic()
                yield write_event(text)
            if time.monotonic() - last_write >= PING_S:
                last_write = time.monotonic()
                yield _PING
        yield write_event(result or self._give_up())

    def _give_up(self) -> str:
        self.run = running.cancel(self.run)
        return self._finish()

    def _finish(self) -> str:
        """The JSON-RPC response for the ended run."""
        is_stored = not self.run._state.adding  # False for a visitor's mock
        url = self.site + reverse("playground:run", args=[self.run.pk]) if is_stored else ""
        result = run_result(self.run, any_value=self.message.is_modern, url=url, served=self.served)
        return response_text(self.message.id, result_text(result, self.message, self.toolset))

    def _report_progress(self) -> Iterator[str]:
        """Notifications of the progress since the last call.

        The protocol requires that progress increases.
        """
        if self.message.progress_token is None:
            return
        for report in running.progress_of(self.run):
            if self._reported is not None and report.done <= self._reported:
                continue
            self._reported = report.done
            params: dict[str, Any] = {
                "progressToken": self.message.progress_token,
                "progress": plain_number(report.done),
            }
            if report.total is not None:
                params["total"] = plain_number(report.total)
            if report.message:
                params["message"] = report.message
            yield notification_text("notifications/progress", params)

    def close(self) -> None:
        """Free the thread's place in the waiting room.

        Cancel the run if the client has gone before its end.
        """
        if not self._is_open:
            return
        self._is_open = False
        try:
            if self.run.is_active and self.message.is_modern:
                running.cancel(self.run)
        finally:
            waiting_room.leave(self.run.owner)
