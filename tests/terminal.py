"""A terminal for commands to write to."""

import io


class Terminal(io.StringIO):
    def isatty(self):
        return True
