"""JSON that is short on one line and long on several: a page of it stays small, and nothing that was typed is lost."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from accounts.cell_rate import Rate
from accounts.rate_limits import LARGE_FORM_BYTES
from catalog.tools.publishing import publish
from playground.runs.models import Run
from tests.factories import make_tool
from tests.playground.history.test_pages import tree_of
from tests.playground.runs.stored_runs import add_run
from tests.work import at_most
from toolspec.spec import read_spec
from toolspec.text.reader import dumps

SIZE = 100_000
DEPTH = 60
BEGINNING = (
    210_000  # characters of a page for one value of which only the beginning is shown, at most
)
PAGE = 60_000  # characters of a page besides its values, at most


def nested(size=SIZE):
    """Many short items at the end of a long way down: each has a line of its own, which begins with 120 blanks."""
    items = ",".join("0" * (size // 2))
    return "[" * DEPTH + items + "]" * DEPTH


def many_nested(size=SIZE):
    """The same in many parts, of which each alone would be allowed on several lines."""
    part = nested(4_000)
    return "[" + ",".join([part] * (size // len(part))) + "]"


TEXTS = {"one deep list": nested(), "many deep lists": many_nested()}


@pytest.fixture
def tool(db):
    return make_tool("anything", parameters={})


@pytest.fixture
def url(tool):
    return reverse("playground:try", args=[tool.slug])


def textarea(answer, name):
    tree = tree_of(answer)
    return tree.css_first(f"textarea[name='{name}']").text().removeprefix("\n")


@pytest.mark.parametrize(
    "control", ["parameters:e:", "parameters:z:/.inside"], ids=["typed", "folded inside"]
)
@pytest.mark.parametrize(
    "pressed",
    [
        {"use": "refresh"},
        {"use": "preview"},
        {"use": "link"},
        {"op": "parameters:view::fields"},
        {"op": "parameters:view::json"},
        {"op": "parameters:kind::json"},
        {"run": "1", "mode": "mock"},
    ],
    ids=lambda pressed: ",".join(pressed.values()),
)
def test_a_visitor_s_form_of_nested_json_makes_a_page_in_proportion_to_it(
    client, url, control, pressed
):
    text = many_nested()
    answer = client.post(url, {"parameters:o:": "1", control: text, **pressed})

    spaced = len(text.replace(",", ", "))
    assert len(answer.content) < 3 * spaced + 1024 * 1024 + 3 * BEGINNING + PAGE


def test_many_folded_parts_of_a_page_together_stay_in_proportion(client, url):
    parts = {f"parameters:z:/.part{number}": nested(6_000) for number in range(100)}

    answer = client.post(url, {"parameters:o:": "1", **parts, "use": "refresh"})

    assert len(answer.content) < 3 * 100 * 9_000 + 1024 * 1024 + BEGINNING + 100 * 3_000


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_all_text_that_was_typed_stays_in_its_field(client, url, text):
    typed = client.post(url, {"parameters:e:": text, "use": "refresh"})
    folded = client.post(
        url, {"parameters:o:": "1", "parameters:z:/.inside": text, "use": "refresh"}
    )

    assert textarea(typed, "parameters:e:") == text
    assert json.loads(textarea(folded, "parameters:z:/@0")) == json.loads(text)


def test_the_preview_of_a_long_value_is_its_beginning(client, url):
    answer = client.post(
        url, {"parameters:o:": "1", "parameters:z:/.inside": nested(2 * SIZE), "use": "preview"}
    )

    shown = tree_of(answer).css_first("#sent")
    assert len(shown.css_first("#preview").text()) == 200_000
    assert "Only the beginning is shown. Edit as JSON to see all of it." in shown.text()


def test_the_preview_of_a_usual_value_is_on_several_lines(client, url):
    answer = client.post(
        url, {"parameters:o:": "1", "parameters:z:/.inside": "[1, 2]", "use": "preview"}
    )

    preview = tree_of(answer).css_first("#preview").text()
    assert preview == '{\n  "inside": [\n    1,\n    2\n  ]\n}'


def stored_run(tool, person, text):
    run = add_run(tool, person)
    Run.objects.filter(pk=run.pk).update(parameters_json=text, response_json=text)
    return run


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_comparison_shows_the_beginning_of_nested_json(browser, ada, tool, url, text):
    first, second = stored_run(tool, ada, text), stored_run(tool, ada, text.replace("0", "1"))

    page = browser.get(reverse("playground:run_comparison", args=[first.pk, second.pk]))

    assert page.status_code == 200
    assert len(page.content) < 4 * BEGINNING + PAGE


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_parameters_of_a_run_are_filled_in_whole_and_in_proportion(
    browser, ada, tool, url, text
):
    run = stored_run(tool, ada, text)

    opened = browser.get(url, {"run": run.pk})
    filled_in = browser.post(url, {"use": f"run:{run.pk}"})

    for page in (opened, filled_in):
        assert page.status_code == 200
        assert len(page.content) < 2 * len(text) + 1024 * 1024 + 5 * BEGINNING + 400 * 3_000
    assert reverse("playground:response_download", args=[run.pk]) in opened.text
    assert "lines are shown" in opened.text


@pytest.mark.parametrize(("address", "lines"), [("comparison", 2_400_000), ("fill in", 3_000_000)])
def test_the_work_for_nested_json_grows_with_its_size_alone(
    browser, ada, tool, url, address, lines
):
    def path(*texts):
        first, second = (stored_run(tool, ada, text) for text in texts)
        return {
            "comparison": reverse("playground:run_comparison", args=[first.pk, second.pk]),
            "fill in": f"{url}?run={first.pk}",
        }[address]

    nested_path = path(nested(), nested().replace("0", "1"))
    browser.get(path("[0]", "[1]"))  # what is loaded once

    with at_most(lines):
        page = browser.get(nested_path)

    assert page.status_code == 200


def test_a_snippet_of_nested_parameters_stays_short(browser, ada, tool):
    run = stored_run(tool, ada, nested(12_000))

    page = browser.get(run.get_absolute_url(), follow=True)

    snippets = tree_of(page).css("[id^='snippet-']")
    assert len(snippets) == 3
    assert all(len(snippet.text()) < 70_000 for snippet in snippets)


DEPTH_OF_AN_EXAMPLE = 50
DEEP = json.loads("[" * DEPTH_OF_AN_EXAMPLE + ",".join("0" * 20_000) + "]" * DEPTH_OF_AN_EXAMPLE)
DEEP_EXAMPLE = {"parameters": {"deep": DEEP}, "returnValue": DEEP}
DEEP_SPECS = {
    "examples": {"parameters": {}, "examples": [DEEP_EXAMPLE]},
    "const and enum": {
        "parameters": {"properties": {"a": {"const": DEEP}, "b": {"enum": [DEEP, 1]}}},
        "returnType": {"default": DEEP},
    },
}


def publish_on_one_line(**members):
    """A tool whose spec is a single line, which fits where several lines would not."""
    definition = {"id": "deep", "name": "deep", "description": "Does something.", **members}
    return publish(read_spec(dumps({"definition": definition})), by=None).tool


@pytest.mark.parametrize("members", DEEP_SPECS.values(), ids=DEEP_SPECS)
@pytest.mark.parametrize(
    "path",
    ["", "formats/spec/", "formats/mcp/", "formats/openai/", "lint/", "try/", "try/?example=1"],
)
def test_the_pages_of_a_tool_with_nested_json_stay_small(client, db, members, path):
    tool = publish_on_one_line(**members)

    page = client.get(f"{tool.get_absolute_url()}{path}")

    assert page.status_code == 200
    assert len(page.content) < 5 * BEGINNING + PAGE


def test_two_revisions_with_long_examples_are_compared_in_part(client, db):
    for start in (0, 50_000):
        numbers = list(range(start, start + 25_000))
        tool = publish_on_one_line(parameters={}, examples=[{"parameters": {"numbers": numbers}}])

    page = client.get(f"{tool.get_absolute_url()}changes/1..2/")

    assert page.status_code == 200
    assert "too many for a page" in page.text
    assert len(page.content) < 4_000 * 150 + 2 * BEGINNING


# -- how often ----------------------------------------------------------------------------------------------------


def send(client, url, size=10, **headers):
    return client.post(
        url, {"parameters:e:": f'"{"x" * size}"', "use": "preview"}, **headers
    ).status_code


@pytest.fixture
def few_large_forms(monkeypatch):
    monkeypatch.setattr("accounts.rate_limits.LARGE_FORMS", Rate(2, 60))


@pytest.mark.usefixtures("few_large_forms")
def test_large_forms_of_one_address_are_counted(client, url):
    statuses = [send(client, url, LARGE_FORM_BYTES) for _ in range(2)]

    refused = client.post(url, {"parameters:e:": "1" * LARGE_FORM_BYTES, "use": "refresh"})

    assert set(statuses) == {200}
    assert (refused.status_code, refused["Retry-After"]) == (429, "30")
    assert "Your address has sent too many forms" in refused.text
    assert send(client, url) == 200  # a small one


def test_forms_of_one_address_are_counted_whatever_their_size(client, url, monkeypatch):
    monkeypatch.setattr("accounts.rate_limits.FORMS", Rate(3, 60))

    statuses = [send(client, url) for _ in range(4)]

    assert statuses == [200, 200, 200, 429]
    assert client.get(url).status_code == 200


@pytest.mark.usefixtures("few_large_forms")
def test_an_ipv6_network_is_one_address(client, url):
    for number in range(2):
        send(client, url, LARGE_FORM_BYTES, REMOTE_ADDR=f"2001:db8::{number + 1:x}")

    same, other = (
        send(client, url, LARGE_FORM_BYTES, REMOTE_ADDR=a)
        for a in ("2001:db8::ffff", "2001:db8:0:1::1")
    )

    assert (same, other) == (429, 200)


@pytest.mark.usefixtures("few_large_forms")
def test_the_forms_of_a_person_with_an_account_are_not_counted(browser, url):
    statuses = {send(browser, url, LARGE_FORM_BYTES) for _ in range(3)}

    assert statuses == {200}
    assert send(Client(), url, LARGE_FORM_BYTES) == 200


@pytest.mark.usefixtures("few_large_forms")
def test_a_refused_form_stays_on_the_page_of_a_browser_with_scripts(client, url):
    for _ in range(2):
        send(client, url, LARGE_FORM_BYTES)

    refused = client.post(
        url, {"parameters:e:": "1" * LARGE_FORM_BYTES}, headers={"HX-Request": "true"}
    )

    assert (refused.status_code, refused["HX-Reswap"]) == (429, "none")
