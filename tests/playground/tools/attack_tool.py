"""A tool whose `call` runs the code in its parameters."""

import textwrap
import time

IMPORTED_AT = time.time_ns()


class Attack:
    def call(self, request):
        names = {}
        exec(f"def attack():\n{textwrap.indent(request['code'], '    ')}", names)
        return names["attack"]()


class Factory:
    def tool_id(self):
        return "attack"

    def create(self):
        return Attack()
