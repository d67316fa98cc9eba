"""A tool that repeats an environment variable wherever it can."""

import base64
import os
import sys

from toolshelf_tools import progress

AT_IMPORT = os.environ.get("API_KEY")


class EnvironmentTool:
    def call(self, request):
        key = os.environ.get("API_KEY", "unset")
        sys.stdout.write(f"stdout {key}\n")
        sys.stderr.write(f"stderr {key}\n")
        progress(1, 2, f"with {key}")
        if request.get("raise"):
            raise RuntimeError(f"cannot connect with {key}")
        return {
            "plain": f"Bearer {key}",
            "base64": base64.b64encode(f"user:{key}".encode()).decode(),
            "at_import": AT_IMPORT,
            "names": sorted(os.environ),
            "region": os.environ.get("REGION"),
        }


class Factory:
    def tool_id(self):
        return "environment tool"

    def create(self):
        return EnvironmentTool()


class OtherFactory(Factory):
    def tool_id(self):
        return "another tool"
