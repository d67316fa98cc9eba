"""The tests of what a database is asked in its own way, and attacks whose text reaches it, in a PostgreSQL."""

from pathlib import Path

import pytest

from tests.postgres import run_in_postgresql

HERE = Path(__file__).parent
SAME_TESTS = (
    "catalog/index/test_search.py",
    "catalog/tools/test_publishing.py",
    "toolshelf_core/test_audit.py",
    "catalog/search/test_suggestions.py",
    "catalog/webhooks/test_delivery.py",
    "playground/history/test_overview.py",
    "playground/history/test_pages.py",
    "rights/test_leaks.py",
    "attacks/test_uploads.py",
    "attacks/test_requests.py",
)
# What the audit log records is the same for any database; how it is protected is not. Of the pages of runs, those whose
# rows the database chooses and counts; of the attacks, texts that it may refuse, very large numbers, and those by
# queries and parameters. Whoever may see a hidden tool is asked by the same conditions for visitors and people.
LISTS = "list or position or latest or chosen or chart or filter or compared"
ATTACKS = (
    "esc-u0000 or esc-ud800 or esc-uffff or esc-u0085 or num-exp-huge or num-digits or test_a_hostile_query"
    " or (test_no_value_of_a_parameter and not try)"
)
ONLY = (
    f"not recorded and (not test_pages or {LISTS}) and (not attacks or {ATTACKS})"
    " and not (finds_a_hidden_tool and visitor)"
)


@pytest.mark.slow
@pytest.mark.deep
def test_postgresql_passes_the_tests_that_ask_it_in_its_own_way():
    run_in_postgresql((HERE / name for name in SAME_TESTS), only=ONLY)
