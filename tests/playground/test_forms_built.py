"""T3 of the forms: a person who knows the value builds it from the empty form, by the controls that are offered alone.

Here the person's posts go to `forms.submitted`; the tests of the pages send some through the real view.
"""

from dataclasses import dataclass, field

import pytest

from catalog.validation import compile_schema
from playground import forms
from playground.templatetags.forms import schema_form
from tests.playground.forms_driver import NoWayError, Page, Person
from tests.playground.forms_pairs import Pair, pairs_of, same

SUITES = ("draft2020-12", "draft2020-12/optional")
OLDER = ("draft2019-09", "draft7", "draft6", "draft4")
TOOLS = ("toolcall_pairs", "bfcl_pairs")


@dataclass
class Tally:
    """What was built from fields alone, and what was not."""

    built: int = 0
    missed: list[str] = field(default_factory=list)

    def build(self, pair: Pair, *, may_write_json: bool = False) -> None:
        compiled = compile_schema(pair.schema)
        page = Page(schema_form(forms.begin(compiled, name="parameters").form))

        def post(pairs):
            return schema_form(forms.submitted(compiled, pairs, name="parameters").form)

        person = Person(page, "parameters", post, may_write_json=may_write_json)
        try:
            final = forms.submitted(compiled, person.fill(pair.value), name="parameters")
        except NoWayError as error:
            self.missed.append(f"{pair}: no control at {error}")
            return
        if same(final.value, pair.value):
            self.built += 1
        else:
            self.missed.append(f"{pair}: {final.value!r} is not {pair.value!r}")

    @property
    def share(self) -> float:
        return self.built / (self.built + len(self.missed))


def tally_of(*names, may_write_json=False):
    tally = Tally()
    for name in names:
        for pair in pairs_of(name):
            if pair.valid:
                tally.build(pair, may_write_json=may_write_json)
    return tally


def test_the_suites_values_are_built_from_fields():
    tally = tally_of(*SUITES)

    assert tally.share >= 0.995, "\n".join(tally.missed)


def test_values_for_older_drafts_are_built_from_fields():
    tally = tally_of(*OLDER)

    assert tally.share >= 0.995, "\n".join(tally.missed)


def test_the_calls_of_real_tools_are_built_from_fields():
    tally = tally_of(*TOOLS)

    assert tally.share >= 0.999, "\n".join(tally.missed)


@pytest.mark.parametrize("name", ["form_pairs", *SUITES])
def test_every_value_is_built_where_json_may_be_written(name):
    tally = tally_of(name, may_write_json=True)

    assert not tally.missed, "\n".join(tally.missed)
