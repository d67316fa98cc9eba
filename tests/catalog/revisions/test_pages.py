"""The pages of a tool's revisions: the list, the difference between two, and restoring an old one."""

import pytest

from catalog.tools.publishing import publish
from tests.factories import make_tool, properties, spec_text
from tests.pages import page, text_of, texts_of
from toolspec.spec import read_spec

pytestmark = pytest.mark.django_db


def test_revisions_are_listed_with_their_changes(client, ada):
    for description in ("one", "two", "three"):
        publish(read_spec(spec_text("greet", description=description)), by=ada)

    tree = page(client, "/tools/greet/changes/")

    assert [text.split()[1] for text in texts_of(tree, ".timeline-name")] == ["3", "2", "1"]
    assert "/tools/greet/changes/2..3/" in [
        link.attributes["href"] for link in tree.css(".timeline a")
    ]
    assert "by ada" in text_of(tree, ".timeline-foot")
    assert "spec" in text_of(tree, ".timeline-facts")


def test_a_difference_shows_lines_added_and_removed(client):
    for description in ("one", "two"):
        make_tool("greet", description=description)

    tree = page(client, "/tools/greet/changes/1..2/")

    assert texts_of(tree, ".diff-del .diff-text") == ['"description": "one"']
    assert texts_of(tree, ".diff-add .diff-text") == ['"description": "two"']


def test_a_difference_does_not_count_lines_where_there_are_none(client):
    for name in ("one", "two", "one"):
        make_tool("greet", description=name)

    tree = page(client, "/tools/greet/changes/1..3/")

    assert "0 lines" not in text_of(tree, "main")


def test_a_difference_shows_a_breaking_change_with_a_counterexample(client):
    for kind in ("number", "integer"):
        make_tool("greet", parameters={"type": "object", "properties": {"count": {"type": kind}}})

    tree = page(client, "/tools/greet/changes/1..2/")

    assert "breaking" in text_of(tree, ".page-heading")
    assert "count" in text_of(tree, ".change-path")
    assert "rejects it: must be an integer" in text_of(tree, ".change summary")


def test_a_difference_shows_unknown_changes(client):
    make_tool("greet", parameters=properties(text={"type": "string", "pattern": "^(?=a)ab$"}))
    make_tool("greet", parameters=properties(text={"type": "string", "pattern": "^(?=ab)ab$"}))

    tree = page(client, "/tools/greet/changes/1..2/")

    assert "unknown" in text_of(tree, ".page-heading")


def test_the_history_has_the_verdict_on_each_revision(client):
    for kind in ("number", "integer", "number"):
        make_tool("greet", parameters={"type": "object", "properties": {"count": {"type": kind}}})

    tree = page(client, "/tools/greet/changes/")

    assert texts_of(tree, ".timeline-verdict") == [
        "Compatible change",
        "Breaking change",
        "First revision",
    ]
    assert len(texts_of(tree, ".timeline-change")) == 2
    assert "count" in texts_of(tree, ".timeline-change")[1]


def test_the_history_names_the_most_severe_change_and_counts_the_others(client):
    make_tool("greet", parameters=properties(count={"type": "number"}))
    make_tool(
        "greet",
        parameters=properties(count={"type": "integer"}, year={"type": "integer"}),
        description="New.",
    )

    tree = page(client, "/tools/greet/changes/")

    assert texts_of(tree, ".timeline-verdict") == ["Breaking change", "First revision"]
    assert "`" not in text_of(tree, ".timeline-change")
    assert text_of(tree, ".timeline-change").endswith("and 2 more")
    assert (
        tree.css_first(".timeline-change a").attributes["href"]
        == "/tools/greet/changes/1..2/#meaning"
    )


def test_two_revisions_are_selected_in_a_form_to_compare_them(client):
    for number in range(3):
        make_tool("greet", description=str(number))

    form = page(client, "/tools/greet/changes/").css_first("form.history")

    checked = {
        node.attributes["name"]: node.attributes["value"]
        for node in form.css("[type=radio][checked]")
    }
    assert checked == {"from": "2", "to": "3"}
    assert len(form.css("[type=radio]")) == 6
    assert (
        client.get(form.attributes["action"], checked)["Location"] == "/tools/greet/changes/2..3/"
    )


def test_one_revision_has_nothing_to_compare(client):
    make_tool("greet")

    tree = page(client, "/tools/greet/changes/")

    assert tree.css("[type=radio]") == []
    assert texts_of(tree, ".timeline-verdict") == ["First revision"]


@pytest.mark.parametrize("pair", ["0..1", "1..9", "1..", "x..y", "1..99999999999999999999"])
def test_a_difference_of_revisions_that_are_not_there_is_404(client, pair):
    make_tool("greet")

    assert client.get(f"/tools/greet/changes/{pair}/").status_code == 404


def test_older_revisions_are_on_the_next_page(client, monkeypatch):
    monkeypatch.setattr("catalog.revisions.views.REVISIONS_PER_PAGE", 2)
    for number in range(3):
        make_tool("greet", description=str(number))

    first = page(client, "/tools/greet/changes/")
    rest = page(client, "/tools/greet/changes/" + first.css_first("a[rel=next]").attributes["href"])

    assert len(first.css(".timeline-item")) == 2
    assert len(rest.css(".timeline-item")) == 1
    assert len(page(client, "/tools/greet/changes/?before=x").css(".timeline-item")) == 2


@pytest.fixture
def three_revisions(db):
    for number in (1, 2, 3):
        make_tool("now", description=f"The time, as revision {number} has it.")


@pytest.mark.usefixtures("three_revisions")
@pytest.mark.parametrize(
    ("query", "pair"),
    [
        ({"from": "1", "to": "3"}, "1..3"),
        ({"from": "3", "to": "2"}, "3..2"),
        ({"from": "0", "to": "99"}, "1..3"),
        ({"from": "x", "to": ""}, "3..3"),
        ({"to": "9" * 30}, "3..3"),
        ({"from": "1", "to": "2", "view": "split"}, "1..2/?view=split"),
    ],
)
def test_any_two_revisions_are_compared(client, query, pair):
    answer = client.get("/tools/now/changes/", query)

    assert answer["Location"].rstrip("/") == f"/tools/now/changes/{pair}".rstrip("/")


@pytest.mark.usefixtures("three_revisions")
def test_a_difference_is_shown_inline_or_side_by_side_with_its_words_marked(client):
    inline = client.get("/tools/now/changes/1..3/").content.decode()
    split = client.get("/tools/now/changes/1..3/?view=split").content.decode()

    for shown in (inline, split):
        assert '<mark class="diff-word">1</mark>' in shown
        assert '<mark class="diff-word">3</mark>' in shown
    assert "diff-split" not in inline
    assert "diff-split" in split


def test_unchanged_lines_are_folded(client):
    parameters = properties(**{f"field{number}": {"type": "string"} for number in range(30)})
    make_tool("now", description="One.", parameters=parameters)
    make_tool("now", description="Two.", parameters=parameters)

    page = client.get("/tools/now/changes/1..2/").content.decode()

    assert '<details class="diff-fold">' in page
    assert "unchanged lines" in page


@pytest.mark.usefixtures("three_revisions")
def test_a_revision_is_restored_where_its_difference_is_seen(client, browser):
    seen = browser.get("/tools/now/changes/1/restore/", follow=True)

    assert seen.redirect_chain == [("/tools/now/changes/3..1/", 302)]
    assert 'action="/tools/now/changes/1/restore/"' in seen.content.decode()
    assert "as revision 4" in seen.content.decode()
    assert "restore/" not in browser.get("/tools/now/changes/1..3/").content.decode()
    assert "/restore/" not in client.get("/tools/now/changes/3..1/").content.decode()
    assert "/restore/" not in client.get("/tools/now/changes/").content.decode()
    assert browser.get("/tools/now/changes/").content.decode().count("Restore…") == 2


@pytest.mark.parametrize("path", ["?from=1&to=2", "1/restore/"])
def test_revisions_of_a_tool_that_is_not_there_cannot_be_compared(client, path):
    assert client.get(f"/tools/nowhere/changes/{path}").status_code == 404
