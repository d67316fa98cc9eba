"""T3 of the forms: a person who knows the value builds it from the empty form, by the controls that are offered alone.

Here the person's posts go to `schema_form.read_submission`; the tests of the pages send some through the real view.
"""

from dataclasses import dataclass, field

import pytest

from tests.playground.form.driver import NoWayError
from tests.playground.form.pairs import Pair, pairs_of, same
from tests.playground.form.use import FormInUse

OLDER = ("draft2019-09", "draft4")
TOOLS = ("toolcall_pairs", "bfcl_pairs")


@dataclass
class Tally:
    """What was built from fields alone, what needed JSON somewhere, and what could not be built."""

    by_fields: int = 0
    by_json: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    def build(self, pair: Pair) -> None:
        form = FormInUse(pair.schema)
        person = form.make_person(may_write_json=True)
        try:
            final = form.read(person.fill(pair.value))
        except NoWayError as error:
            self.missed.append(f"{pair}: no control at {error}")
            return
        if not same(final.value, pair.value):
            self.missed.append(f"{pair}: {final.value!r} is not {pair.value!r}")
        elif person.raw:
            self.by_json.append(str(pair))
        else:
            self.by_fields += 1

    @property
    def share_by_fields(self) -> float:
        return self.by_fields / (self.by_fields + len(self.by_json) + len(self.missed))


def tally_of(*names):
    tally = Tally()
    for name in names:
        for pair in pairs_of(name):
            if pair.valid:
                tally.build(pair)
    return tally


@pytest.mark.parametrize(
    ("names", "least"),
    [
        pytest.param(("draft2020-12", "draft2020-12/optional"), 0.995, marks=pytest.mark.deep),
        pytest.param(("form_pairs",), 0.995, marks=[pytest.mark.corpora, pytest.mark.deep]),
        pytest.param(TOOLS, 0.999, marks=pytest.mark.corpora),
        pytest.param(OLDER, 0.995, marks=pytest.mark.deep),
    ],
    ids=["the suite", "samples", "tools", "older drafts"],
)
def test_every_value_is_built_from_the_empty_form_and_nearly_all_from_fields_alone(names, least):
    tally = tally_of(*names)

    assert not tally.missed, "\n".join(tally.missed)
    assert tally.share_by_fields >= least, "\n".join(tally.by_json)
