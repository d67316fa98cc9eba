"""Generated code through the page, the API and the command."""

import io
import zipfile

import pytest
from django.core.management import CommandError, call_command
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from catalog.tools.publishing import publish
from tests.corpora import GET_WEATHER
from tests.factories import make_tool, properties
from toolspec.code import LANGUAGES
from toolspec.spec import read_spec

pytestmark = pytest.mark.django_db

SLUG = "get-weather-498ebfb0"
EVIL = '</code><script>window.x=1</script>"><img src=x onerror=alert(1)>'


@pytest.fixture
def weather(ada):
    return publish(read_spec(GET_WEATHER.read_bytes()), by=ada).tool


def unpacked(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_the_api_answers_with_a_zip_of_the_project(weather, stranger):
    answer = stranger.get(f"/api/v1/tools/{SLUG}/code/python")

    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/zip"
    assert answer["Content-Disposition"] == f'attachment; filename="{SLUG}-python.zip"'
    files = unpacked(answer.content)
    assert f"{SLUG}-python/src/get_weather_tool/models.py" in files
    assert files[f"{SLUG}-python/src/get_weather_tool/spec.json"] == weather.current.source
    known = stranger.get(
        f"/api/v1/tools/{SLUG}/code/python", headers={"If-None-Match": answer["ETag"]}
    )
    assert known.status_code == 304
    assert stranger.get(f"/api/v1/tools/{SLUG}/code/cobol").status_code == 404


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_can_be_previewed_and_downloaded(weather, client, stranger, language):
    page = HTMLParser(client.get(f"/tools/{SLUG}/formats/{language}/").content)
    files = unpacked(stranger.get(f"/api/v1/tools/{SLUG}/code/{language}").content)

    names = [node.text() for node in page.css(".code-file-name")]
    assert sorted(f"{SLUG}-{language}/{name}" for name in names) == sorted(files)
    assert page.css("details[open]")


def test_the_page_shows_the_files_and_links_to_the_zip(weather, client):
    assert client.get(f"/tools/{SLUG}/formats/cobol/").status_code == 404
    tree = HTMLParser(client.get(f"/tools/{SLUG}/formats/python/").content)

    names = [node.text() for node in tree.css(".code-file-name")]
    assert names[:2] == ["src/get_weather_tool/models.py", "src/get_weather_tool/tool.py"]
    assert "class Request(Model):" in tree.css_first("#file-1").text()
    assert (
        tree.css_first("a.button-primary[download]").attributes["href"]
        == f"/api/v1/tools/{SLUG}/code/python"
    )


def test_the_page_of_a_tool_links_to_the_code_in_each_language(weather, client):
    tree = HTMLParser(client.get(f"/tools/{SLUG}/").content)

    links = [node.attributes["href"] for node in tree.css("#use-code a")]
    assert links == [f"/tools/{SLUG}/formats/{key}/" for key in LANGUAGES]


def test_a_description_with_markup_is_shown_as_text(client):
    tool = make_tool(
        "greet",
        description=EVIL,
        parameters=properties(who={"type": "string", "description": EVIL}),
    )

    tree = HTMLParser(client.get(f"{tool.get_absolute_url()}formats/python/").content)

    assert "window.x=1" not in " ".join(node.text() for node in tree.css("script"))
    assert "onerror=alert(1)" in tree.css_first("#file-1").text()


def test_a_project_that_exceeds_a_limit_is_refused_with_the_reason(client, stranger, monkeypatch):
    tool = make_tool("too_large_for_the_limit")
    monkeypatch.setattr("toolspec.code.MAX_PROJECT_CHARACTERS", 10)

    page = client.get(f"{tool.get_absolute_url()}formats/python/")
    answer = stranger.get(f"/api/v1/tools/{tool.slug}/code/python")

    assert page.status_code == answer.status_code == 422
    assert "at most 10 are allowed" in page.content.decode()
    assert "at most 10 are allowed" in answer.json()["detail"]


def test_the_command_writes_the_files_and_replaces_them_only_with_force(weather, tmp_path, capsys):
    arguments = ("generate_tool", "Get weather", "--language", "python", "--out", str(tmp_path))
    call_command(*arguments)

    module = tmp_path / "src" / "get_weather_tool" / "tool.py"
    assert str(module) in capsys.readouterr().out
    compile(module.read_text(), module, "exec")
    with pytest.raises(CommandError, match="exists already"):
        call_command(*arguments)
    call_command(*arguments, "--force")


def test_the_command_names_a_tool_that_does_not_exist(db, tmp_path):
    with pytest.raises(CommandError, match="no tool with the id or slug 'nobody'"):
        call_command("generate_tool", "nobody", "--language", "python", "--out", str(tmp_path))
