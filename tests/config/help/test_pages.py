"""The documents of docs/ as pages of the site."""

import re
from pathlib import Path

import pytest

from tests.browser.screenshots import HELP, HELP_WIDTH
from tests.pages import page
from toolshelf_core.rendering.markdown import Heading, read_document

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[3]
DOCS = sorted(ROOT.glob("docs/*.md"))


def test_every_document_is_listed_once_in_its_group(client):
    tree = page(client, "/help/")
    links = [node.attributes["href"] for node in tree.css(".help-title a")]

    assert sorted(links) == [f"/help/{file.stem}/" for file in DOCS]
    assert links[0] == "/help/search/"
    groups = {
        node.css_first("h2").text(): node.css_first("a").text() for node in tree.css(".help-group")
    }
    assert groups == {
        "Use": "Search the catalog",
        "Build": "Put your MCP server under contract",
        "Operate": "Operations",
    }


@pytest.mark.parametrize("slug", [file.stem for file in DOCS])
def test_every_link_of_a_document_leads_somewhere(client, slug):
    tree = page(client, f"/help/{slug}/")
    targets = [node.attributes["href"] for node in tree.css("main a")]
    ids = {node.attributes["id"] for node in tree.css("[id]")}

    assert [target for target in targets if target.startswith("#") and target[1:] not in ids] == []
    for target in {target for target in targets if target.startswith("/")}:
        path, _, fragment = target.partition("#")
        linked = page(client, path)
        assert not fragment or linked.css_first(f'[id="{fragment}"]') is not None, target
    assert all(re.match("#|/|https?:", target) for target in targets)


@pytest.mark.parametrize(
    "file", [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")], ids=lambda file: file.name
)
def test_every_link_between_files_leads_to_a_file(file):
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", file.read_text())

    assert [target for target in targets if not (file.parent / target).exists()] == []


def test_a_document_has_its_title_once_and_its_sections_in_a_list(client):
    tree = page(client, "/help/write-a-tool/")

    assert [node.text(strip=True) for node in tree.css("h1")] == ["Write a tool"]
    contents = [(node.text(), node.attributes["href"]) for node in tree.css(".help-contents a")]
    assert contents[0] == ("Write the function", "#write-the-function")
    assert ("What @tool reads", "#what-tool-reads") in contents


def test_a_code_block_has_its_file_as_title_and_can_be_copied(client):
    tree = page(client, "/help/write-a-tool/")
    blocks = {node.css_first(".code-title").text(): node for node in tree.css(".help-text .code")}

    block = blocks["reading_time.py"]
    assert block.css_first("pre").text().startswith('"""How long it takes to read a text."""\n')
    assert tree.css_first(block.css_first("[data-copy]").attributes["data-copy"]).tag == "pre"
    assert {"Shell", "Output", "Change of reading_time.py", "pyproject.toml"} <= blocks.keys()


@pytest.mark.parametrize("slug", ["search", "try", "review", "configurations", "mcp"])
def test_a_picture_is_a_file_of_the_site_with_its_size_and_a_description(client, slug):
    [picture] = page(client, f"/help/{slug}/").css(".help-text img")

    name = re.fullmatch(r"/static/img/help/([\w-]+)\.\w+\.webp", picture.attributes["src"])[1]
    assert (picture.attributes["width"], picture.attributes["height"]) == (
        str(HELP_WIDTH),
        str(HELP[name][1]),
    )
    assert len(picture.attributes["alt"]) > 20


def test_an_unknown_document_is_not_found(client):
    assert client.get("/help/nothing/").status_code == 404
    assert client.get("/help/README/").status_code == 404


def test_a_document_is_followed_by_those_of_its_group(client):
    links = [link.attributes["href"] for link in page(client, "/help/audit/").css(".help-others a")]

    assert "/help/rights/" in links
    assert "/help/audit/" not in links
    assert "/help/search/" not in links
    assert links[-1] == "/help/"


def test_the_index_shows_whole_sentences(client):
    teasers = [teaser.text(strip=True) for teaser in page(client, "/help/").css(".help-list p")]

    assert len(teasers) > 10
    assert [teaser for teaser in teasers if not teaser.endswith((".", "!", "?", ":"))] == []


def test_the_pages_that_need_it_link_to_it(client):
    assert page(client, "/add/").css_first('main a[href="/help/upload/"]') is not None
    assert page(client, "/factories/").css_first('main a[href="/help/write-a-tool/"]') is not None
    assert page(client, "/").css_first('footer a[href="/help/"]') is not None


# Reading a document


def read(text):
    return read_document(
        text, link={"a.md": "/help/a/", "#b": "#b", "https://c.example": "https://c.example"}.get
    )


def test_a_document_has_a_title_a_summary_and_headings():
    document = read("# The `title`\n\nThe *first*\nparagraph.\n\n## One\n\n### Two\n\n## One\n")

    assert (document.title, document.summary) == ("The title", "The first paragraph.")
    assert document.headings == (Heading("One", "one"), Heading("One", "one-1"))
    assert "<h1" not in document.html
    assert '<h3 id="two">Two</h3>' in document.html


def test_links_are_those_of_the_site_and_a_link_to_nothing_is_text():
    html = read("[A `x`](a.md) [b](#b) [c](https://c.example) [d](../README.md)").html

    assert '<a href="/help/a/">A <code>x</code></a> <a href="#b">b</a>' in html
    assert '<a href="https://c.example" rel="noopener noreferrer">c</a> d</p>' in html


def test_html_in_a_document_is_text():
    assert "&lt;script&gt;" in read("<script>1</script>").html
