"""Real questions and the tools that answer them. These are floors; `bench/search_quality.py` measures."""

import pytest

from bench.search_quality import average, index_plainly, read_lines, read_questions
from catalog.search.catalog_search import CatalogSearch
from catalog.tools.models import Tool
from catalog.tools.publishing import publish_many
from toolspec.spec import read_spec

pytestmark = [pytest.mark.django_db, pytest.mark.corpora]


@pytest.mark.parametrize(
    ("pool", "every", "better_recall", "better_gain"),
    [("metatool", 4, 0.25, 0.2), ("bfcl-base", 1, 0.01, 0.005), ("mcp-evals", 1, 0.08, 0.05)],
)
def test_real_questions_are_answered_better_than_by_plain_bm25(
    pool, every, better_recall, better_gain
):
    publish_many([read_spec(line) for line in read_lines(pool)], by=None)
    names = dict(Tool.objects.values_list("pk", "tool_id"))
    asked = list(read_questions(pool))[::every]

    recall, gain = average(asked, index_plainly(pool))
    our_recall, our_gain = average(
        asked, lambda text: [names[pk] for pk in CatalogSearch(words=text).hits.ranked]
    )

    assert our_recall > recall + better_recall
    assert our_gain > gain + better_gain
