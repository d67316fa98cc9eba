"""A factory that reports when it was imported."""

import time

IMPORTED_AT = time.monotonic_ns()


class Timed:
    def call(self, request):
        return IMPORTED_AT


class Factory:
    def tool_id(self):
        return "timed-import"

    def create(self):
        return Timed()
