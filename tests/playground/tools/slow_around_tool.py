"""A tool whose creation and whose response take long, but not its call."""

import time


class SlowResponse(dict):
    def items(self):
        time.sleep(0.4)
        return super().items()


class Slow:
    def call(self, request):
        return SlowResponse(slow="response")


class Factory:
    def tool_id(self):
        return "slow-around"

    def create(self):
        time.sleep(0.4)
        return Slow()


class Broken(Factory):
    def create(self):
        raise ValueError("no tool")
