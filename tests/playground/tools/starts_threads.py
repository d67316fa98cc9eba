"""A factory that starts a thread when it is imported, so that its process must not be forked."""

import os
import threading

IMPORTED_BY = os.getpid()
_answers = {"from": "the thread"}
_wanted, _done = threading.Event(), threading.Event()


def _serve():
    while _wanted.wait():
        _wanted.clear()
        _done.set()


threading.Thread(target=_serve, daemon=True).start()


class AsksItsThread:
    def call(self, request):
        _wanted.set()
        return {"answered": _done.wait(2), "imported_here": os.getpid() == IMPORTED_BY}


class Factory:
    def tool_id(self):
        return "starts-threads"

    def create(self):
        return AsksItsThread()
