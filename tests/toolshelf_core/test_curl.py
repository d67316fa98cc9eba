"""The curl commands of pages: what a shell makes of them, and how they look."""

import json
import subprocess

from toolshelf_core.curl import TOKEN_VARIABLE, write_curl_command

URL = "http://localhost:8000/api/v1/tools"


def words_of(command: str) -> list[str]:
    """The words that a shell passes to curl."""
    script = f"curl() {{ printf '%s\\0' \"$@\"; }}\n{command}"
    done = subprocess.run(
        ["sh", "-c", script], env={TOKEN_VARIABLE: "secret"}, capture_output=True, check=True
    )
    return done.stdout.decode().split("\0")[:-1]


def test_each_option_has_its_line():
    command = write_curl_command(f"{URL}/a/runs", {"parameters": {}})

    assert command.splitlines() == [
        f"curl {URL}/a/runs \\",
        '  -H "Authorization: Bearer $TOOLSHELF_TOKEN" \\',
        "  -H 'Content-Type: application/json' \\",
        """  --data '{"parameters": {}}'""",
    ]


def test_a_shell_passes_on_the_token_and_every_awkward_text():
    text = 'it\'s $HOME `id` "quoted" \\ \n é ; &'

    words = words_of(write_curl_command(f"{URL}?q=a b&c=$d", {"t": text}))

    assert words[0] == f"{URL}?q=a b&c=$d"
    assert words[1:3] == ["-H", "Authorization: Bearer secret"]
    assert json.loads(words[-1]) == {"t": text}


def test_a_long_body_is_indented():
    assert '\n  "b": 2\n}\'' in write_curl_command(URL, {"a": "x" * 50, "b": 2})
