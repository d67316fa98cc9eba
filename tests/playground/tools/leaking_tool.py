"""A tool that writes its secrets wherever it can."""

import base64
import json
import os
import sys
from urllib.parse import quote

from toolshelf_tools import progress


class Leaking:
    request_type = dict

    def __init__(self, configuration):
        self.configuration = configuration

    def call(self, request):
        key = self.configuration["apiKey"]
        spellings = {
            "plain": key,
            "inside": f"Authorization: Bearer {key}; more",
            "quoted": quote(key, safe=""),
            "base64": base64.b64encode(f"user:{key}".encode()).decode(),
            "json": json.dumps(self.configuration),
            key: "as a name",
            "list": [{"deep": key}],
            "unit": key,
        }
        sys.stdout.write(f"stdout {spellings}\n")
        sys.stderr.write(f"stderr {spellings}\n")
        os.write(1, f"descriptor {key}\n".encode())
        progress(1, 2, f"half way with {key}")
        if request.get("wait_s"):
            import time

            time.sleep(request["wait_s"])
        if request.get("raise"):
            raise RuntimeError(f"cannot connect with {key}", spellings)
        return spellings


class Factory:
    def tool_id(self):
        return "leaking_tool"

    def create(self, configuration):
        return Leaking(configuration)
