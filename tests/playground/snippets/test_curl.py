"""The curl commands of pages: what a shell makes of them, and how they look."""

import json
import shlex
import subprocess

import pytest

from playground.snippets.curl import TOKEN_VARIABLE, curl_command

URL = "http://localhost:8000/api/v1/tools"


def words_of(command: str) -> list[str]:
    """The words that a shell passes to curl."""
    script = f"curl() {{ printf '%s\\0' \"$@\"; }}\n{command}"
    done = subprocess.run(
        ["sh", "-c", script], env={TOKEN_VARIABLE: "secret"}, capture_output=True, check=True
    )
    return done.stdout.decode().split("\0")[:-1]


def test_a_command_without_options_is_one_line():
    assert curl_command(URL, needs_token=False) == f"curl {URL}"


def test_each_option_has_its_line():
    command = curl_command(f"{URL}/a/runs", method="POST", body={"parameters": {}})

    assert command.splitlines() == [
        f"curl {URL}/a/runs \\",
        '  -H "Authorization: Bearer $TOOLSHELF_TOKEN" \\',
        "  -H 'Content-Type: application/json' \\",
        """  --data '{"parameters": {}}'""",
    ]


def test_a_shell_passes_on_the_token_and_every_awkward_text():
    text = 'it\'s $HOME `id` "quoted" \\ \n é ; &'

    words = words_of(
        curl_command(
            f"{URL}?q=a b&c=$d", headers={"If-Match": '"a b"'}, method="POST", body={"t": text}
        )
    )

    assert words[0] == f"{URL}?q=a b&c=$d"
    assert words[1:5] == ["-H", "Authorization: Bearer secret", "-H", 'If-Match: "a b"']
    assert json.loads(words[-1]) == {"t": text}


@pytest.mark.parametrize(
    ("request_parts", "option"),
    [
        ({"method": "GET"}, None),
        ({"method": "POST", "body": {}}, None),
        ({"method": "POST", "files": "tools.ndjson"}, None),
        ({"method": "POST"}, "-X POST"),
        ({"method": "DELETE"}, "-X DELETE"),
        ({"method": "PATCH", "body": {}}, "-X PATCH"),
    ],
)
def test_a_method_that_curl_implies_is_left_out(request_parts, option):
    command = curl_command(URL, needs_token=False, **request_parts)

    assert ("-X" in shlex.split(command)) == (option is not None)
    assert option is None or option in command


def test_files_are_sent_as_a_form():
    assert words_of(curl_command(URL, method="POST", files="my tools.json"))[-2:] == [
        "-F",
        "files=@my tools.json",
    ]


def test_a_long_body_is_indented():
    assert '\n  "b": 2\n}\'' in curl_command(URL, method="POST", body={"a": "x" * 50, "b": 2})
