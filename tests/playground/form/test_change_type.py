"""T6 of the forms: to another branch or kind and back, and the value is what it was."""

import pytest

from playground import form as schema_form
from playground.templatetags.forms import draw_form
from tests.playground.form.driver import Page
from tests.playground.form.pairs import REAL_CASES, SUITE, pairs_of, same
from toolspec.schema.validation import compile_schema


class Visitor:
    """Somebody on a page who changes one selector, and changes it back."""

    def __init__(self, schema, value):
        self.schema = compile_schema(schema)
        self.page = self.drawn(schema_form.begin(self.schema, value, name="parameters"))

    def drawn(self, submission):
        return Page(draw_form(submission.form))

    def pick(self, page, name, wanted):
        verb = "kind" if name.split(":")[1] == "y" else "branch"
        path = name.split(":", 2)[2]
        typed = {name: [wanted]}
        pairs = page.submit(pressed=f"parameters:{verb}:{path}", typed=typed)
        return self.drawn(schema_form.read_submission(self.schema, pairs, name="parameters"))

    def show_fields(self, page):
        pairs = [*page.submit(), ("op", "parameters:view::fields")]  # the button is above the form
        return self.drawn(schema_form.read_submission(self.schema, pairs, name="parameters"))

    def value(self, page):
        return schema_form.read_submission(self.schema, page.submit(), name="parameters").value

    def options(self, tag):
        """Each selector's name and its options besides the current one."""
        for control in self.page.controls:
            name = control.attributes["name"]
            if name.startswith(f"parameters:{tag}:"):
                offered = [option.attributes.get("value") or "" for option in control.css("option")]
                yield name, [wanted for wanted in offered if wanted]


def branches_there_and_back(pair):
    visitor = Visitor(pair.schema, pair.value)
    for name, offered in visitor.options("v"):
        path = name.split(":", 2)[2]
        for wanted in offered:
            key = wanted.rpartition("=")[0]
            in_force = [
                text
                for text in visitor.page.rows(f"parameters:u:{path}")
                if text.rpartition("=")[0] == key
            ]
            there = visitor.pick(visitor.page, name, wanted)
            back = visitor.pick(there, name, in_force[0])
            if not same(visitor.value(back), pair.value):
                yield f"{pair}: {name} {wanted}: {visitor.value(back)!r}"


def kinds_there_and_back(pair):
    visitor = Visitor(pair.schema, pair.value)
    for name, offered in list(visitor.options("y"))[:2]:
        for wanted in offered:
            there = visitor.pick(visitor.page, name, wanted)
            backs = [text for other in there.selectors(name) for text in there_options(other)]
            pages = [visitor.pick(there, name, wanted) for wanted in backs]
            if (
                name == "parameters:y:" and wanted == "json"
            ):  # the page's switch leads back, instead of a selector
                pages.append(visitor.show_fields(there))
            if not any(same(visitor.value(page), pair.value) for page in pages):
                yield f"{pair}: {name} {wanted}: no way back among {backs}"


def there_options(selector):
    return [value for option in selector.css("option") if (value := option.attributes.get("value"))]


@pytest.mark.deep
@pytest.mark.parametrize("name", [*REAL_CASES, *SUITE])
def test_each_branch_of_each_union_leads_there_and_back(name):
    complaints = [found for pair in pairs_of(name) for found in branches_there_and_back(pair)]

    assert not complaints, f"{len(complaints)}\n" + "\n".join(complaints[:10])


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("toolcall_pairs", marks=pytest.mark.corpora),
        pytest.param("draft2020-12", marks=pytest.mark.deep),
    ],
)
def test_each_kind_leads_there_and_back(name):
    complaints = [found for pair in pairs_of(name)[::15] for found in kinds_there_and_back(pair)]

    assert not complaints, f"{len(complaints)}\n" + "\n".join(complaints[:10])
