"""What a tool responds with: values, files, errors, coroutines and generators."""

import textwrap

import pytest

from playground.runner.engine import Progress
from toolshelf_tools.files import ResponseFile
from toolspec.text.reader import Number, loads

pytestmark = pytest.mark.alone


def test_a_response_comes_back_as_it_was_given(runner):
    end = runner.call("return {'text': 'Grüße 🌤', 'list': [1, 2.5, None, True], 'empty': {}}")

    assert end.outcome == "returned"
    assert end.error is None
    assert end.response == {"text": "Grüße 🌤", "list": [1, 2.5, None, True], "empty": {}}


def test_null_is_a_response(runner):
    end = runner.call("return None")

    assert end.has_response
    assert end.response is None


def test_a_run_that_failed_has_no_response(runner):
    end = runner.call("raise LookupError('no such city')")

    assert not end.has_response
    assert end.outcome == "raised"


def test_an_error_is_a_sentence_followed_by_a_traceback(runner):
    end = runner.call("def deeper():\n    raise LookupError('no such city')\ndeeper()")

    first, *others = end.error.splitlines()
    assert first == "LookupError: no such city"
    assert others[1] == "Traceback (most recent call last):"
    assert others[-1].endswith("in deeper")
    assert "runner/worker" not in end.error


def test_an_error_names_its_causes(runner):
    end = runner.call(
        "try:\n    1 / 0\nexcept Exception as error:\n    raise ValueError('bad') from error"
    )

    assert "Caused by ZeroDivisionError: division by zero" in end.error


def test_numbers_keep_every_digit_on_their_way_back(runner):
    end = runner.call("return [0.1 + 0.2, 1e300, -0.0, 2**70, 1.0]")

    assert [number.lexeme if isinstance(number, Number) else number for number in end.response] == [
        "0.30000000000000004",
        "1e+300",
        "-0.0",
        2**70,
        "1.0",
    ]


def test_inside_the_tool_numbers_are_plain(runner):
    parameters = loads('{"a": 19.90, "b": 1e2, "c": 12345678901234567890, "d": 1.0}')

    end = runner.run("typed_tools:plain", parameters)

    assert end.response == {
        "type": "dict",
        "repr": "{'a': 19.9, 'b': 100.0, 'c': 12345678901234567890, 'd': 1.0}",
    }


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (
            "return {'a': [1, float('nan')]}",
            "The response is not JSON at /a/1: nan is not a JSON number.",
        ),
        (
            "return float('-inf')",
            "The response is not JSON at its root: -inf is not a JSON number.",
        ),
        (
            "return {'a/b': b'x'}",
            (
                "The response is not JSON at /a~1b: a bytes cannot be represented in JSON; decode it, or wrap it in a "
                "File."
            ),
        ),
        (
            "return [{1, 2}]",
            "The response is not JSON at /0: a set cannot be represented in JSON; return a sorted list.",
        ),
        (
            "return {None: 1}",
            "The response is not JSON at its root: the key None is a NoneType, not a string.",
        ),
        (
            "x = {}\nx['x'] = [x]\nreturn x",
            "The response is not JSON at /x/0: the value contains a circular reference.",
        ),
        (
            "return ['\\ud800']",
            "The response is not JSON at /0: a string contains an unpaired surrogate.",
        ),
        (
            "return object()",
            "The response is not JSON at its root: an object cannot be represented in JSON.",
        ),
        (
            "return [(n for n in [1])]",
            "The response is not JSON at /0: a generator cannot be represented in JSON; return a list.",
        ),
        (
            "x = 0\nfor n in range(65): x = [x]\nreturn x",
            f"The response is not JSON at {'/0' * 64}: it is nested more than 64 deep.",
        ),
    ],
)
def test_a_value_that_json_cannot_represent_is_refused_with_its_position(runner, code, sentence):
    end = runner.call(code)

    assert end.outcome == "raised"
    assert end.error == sentence


def test_the_same_list_twice_is_not_a_loop(runner):
    end = runner.call("x = [1]\nreturn [x, x, {'a': x}]")

    assert end.response == [[1], [1], {"a": [1]}]


def test_a_response_of_exactly_the_limit_comes_back(runner):
    end = runner.call("return 'x' * 998", response_bytes=1000)

    assert end.response == "x" * 998


def test_a_response_beyond_the_limit_keeps_its_beginning(runner):
    end = runner.call("return 'x' * 999", response_bytes=1000, attached_bytes=900)

    assert (end.outcome, end.is_cut, end.response, end.files) == (
        "returned",
        True,
        '"' + "x" * 999,
        (),
    )


def test_all_of_a_response_beyond_the_limit_is_a_file_if_that_may_be_so_long(runner):
    end = runner.call("return 'x' * 999", response_bytes=1000, attached_bytes=1500)

    content = b'"' + b"x" * 999 + b'"'
    assert end.files == (ResponseFile("response.json", "application/json", content, is_whole=True),)


def test_a_cut_response_ends_with_a_whole_character(runner):
    end = runner.call("return 'é' * 999", response_bytes=1000)

    assert end.response == '"' + "é" * 499


def test_bytes_are_a_file(runner):
    end = runner.call("return b'%PDF-1.7'")

    assert end.files == (ResponseFile("response.pdf", "application/pdf", b"%PDF-1.7"),)
    assert end.response == end.files[0].description()


def test_a_path_in_the_working_folder_is_a_file(runner):
    end = runner.call(
        "from pathlib import Path\nPath('a.csv').write_text('1,2')\nreturn Path('a.csv')"
    )

    assert end.files == (ResponseFile("a.csv", "text/csv", b"1,2"),)


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (
            "return Path('/etc/hostname')",
            "The file /etc/hostname is not in the working folder of the run.",
        ),
        (
            "Path('a').symlink_to('/etc/hostname')\nreturn Path('a')",
            "The file a is not in the working folder",
        ),
        (
            "return Path('nowhere')",
            "The file nowhere of the response cannot be read: No such file or directory.",
        ),
        ("return Path('.')", ". is not a file; only a file can be a response."),
        (
            "return b'x' * 2001",
            "A file of the response has 2,001 bytes; 2,000 are left for the files of a response.",
        ),
        (
            "return [File(b'x' * 1500), File(b'x' * 501)]",
            "A file of the response has 501 bytes; 500 are left",
        ),
        ("return [File(b'')] * 21", "The response has more than 20 files."),
        (
            "return File(b'', media_type='png')",
            "'png' is not a media type; write one such as 'image/png'.",
        ),
        (
            "return File('text')",
            "TypeError: The content of a File is bytes, not str; encode a text first.",
        ),
        ("return File()", "TypeError: A File takes either content or path."),
    ],
)
def test_a_file_that_cannot_be_a_response_is_refused(runner, code, sentence):
    code = f"from pathlib import Path\nfrom toolshelf_tools import File\n{code}"
    end = runner.call(code, attached_bytes=2000)

    assert end.outcome == "raised"
    assert end.error.startswith(sentence)


def test_a_typed_response_may_have_files(runner):
    end = runner.run("typed_tools:report")

    assert end.response["chart"]["mediaType"] == "image/gif"
    assert [file.pointer for file in end.files] == ["/chart"]


def test_frames_of_files_beyond_the_limit_end_the_run(runner):
    code = """
        import os, struct
        for _ in range(100):
            os.write(3, struct.pack(">cI", b"F", 2) + b"{}")
    """
    end = runner.call(textwrap.dedent(code), attached_bytes=2000)

    assert (end.outcome, end.error) == (
        "crashed",
        "The tool wrote to the pipe that is reserved for its result.",
    )


def test_a_coroutine_is_awaited(runner):
    end = runner.call(
        "import asyncio\nasync def answer():\n    await asyncio.sleep(0)\n    return 7\nreturn answer()"
    )

    assert (end.response, end.error) == (7, None)


def test_an_error_in_a_coroutine_shows_only_the_code_of_the_tool(runner):
    end = runner.call("async def answer():\n    raise ValueError('no')\nreturn answer()")

    assert end.error.startswith(
        'ValueError: no\n\nTraceback (most recent call last):\n  File "<string>"'
    )


def test_an_async_tool_ends_at_its_time_limit(runner):
    end = runner.call("import asyncio\nreturn asyncio.sleep(60)", timeout_s=0.5)

    assert end.outcome == "timed_out"


@pytest.mark.parametrize(
    ("code", "response", "log"),
    [
        ("yield 'one'\nyield {'n': 2}\nreturn 3", 3, 'one\n{"n": 2}\n'),
        ("yield 'one'\nyield {'n': 2}", {"n": 2}, "one\n"),
        ("yield 'one'\nyield Progress(2, 3, 'two')", "one", "one\n"),
        ("yield Progress(2, 3, 'two')", None, ""),
        ("async def steps():\n    yield 1\n    yield 2\nreturn steps()", 2, "1\n"),
        ("async def steps():\n    if False: yield\nreturn steps()", None, ""),
    ],
)
def test_a_generator_responds_with_what_it_returns_or_else_yields_last(runner, code, response, log):
    end = runner.call(f"from toolshelf_tools import Progress\n{code}")

    assert (end.outcome, end.response, end.stdout) == ("returned", response, log)
    assert end.progress == (Progress(2, 3, "two") if "Progress" in code else None)


def test_what_a_generator_yielded_before_an_error_is_in_the_log(runner):
    end = runner.call("yield 'one'\nraise ValueError('no')")

    assert (end.outcome, end.stdout) == ("raised", "one\n")


def test_a_response_of_a_mebibyte_comes_back(runner):
    end = runner.call("return ['é' * 1000] * 520")

    assert end.response == ["é" * 1000] * 520


def test_parameters_of_a_mebibyte_arrive(runner):
    end = runner.run("attack_tool:Factory", {"code": "return len(request)", "more": "x" * 2**20})

    assert end.outcome == "raised"  # the tool runs, and has no `request`
    assert "NameError" in end.error
