"""T3 of the forms through the playground's own page: every press a post to the real view, and its answer parsed."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from catalog.tools.publishing import publish
from tests.corpora import expected
from tests.playground.form.driver import NoWayError, Page, Person, wire
from tests.playground.form.pairs import pairs_of, read, same
from toolspec.errors import DocumentError
from toolspec.spec import read_spec
from toolspec.text.reader import dumps


class ThePage:
    """The playground's page of one tool, for a browser that is signed in."""

    def __init__(self, browser, tool):
        self.browser = browser
        self.address = f"/tools/{tool.slug}/try/"
        self.answer = browser.get(self.address).content.decode()

    @property
    def form(self):
        return LexborHTMLParser(self.answer).css_first("form#trial").html

    def post(self, pairs):
        """Send the form; a browser sends the buttons' names of those that were pressed alone."""
        data = {}
        for name, text in pairs:
            data.setdefault(name, []).append(text)
        self.answer = self.browser.post(self.address, data).content.decode()
        return self.form

    @property
    def will_be_sent(self):
        return read(LexborHTMLParser(self.answer).css_first("#preview").text())


def tool_for(number, pair):
    definition = {
        "id": f"pair-{number}",
        "name": "Pair",
        "description": "A pair.",
        "parameters": pair.schema,
    }
    return publish(read_spec(dumps({"definition": definition})), by=None).tool


@pytest.mark.corpora
def test_values_are_built_on_the_page_by_fields_alone(browser):
    built, missed = 0, []
    step = expected(selection=3, full=16)
    for number, pair in enumerate(
        [pair for pair in pairs_of("toolcall_pairs") if pair.valid][::step]
    ):
        try:
            page = ThePage(browser, tool_for(number, pair))
        except DocumentError:  # the gate lets no such schema in
            continue
        person = Person(Page(page.form), "parameters", page.post)
        try:
            pairs = person.fill(pair.value)
        except NoWayError as error:
            missed.append(f"{pair}: no control at {error}")
            continue
        page.post([*pairs, *wire([("use", "refresh")])])
        if same(page.will_be_sent, pair.value):
            built += 1
        else:
            missed.append(f"{pair}: {page.will_be_sent!r}")

    assert built > 10
    assert built / (built + len(missed)) >= 0.999, "\n".join(missed)
