import threading
from urllib.parse import urlencode

import pytest
from django.core.management import call_command

from accounts.models import User
from catalog.organise.lifecycle import archive
from catalog.organise.metadata import Organisation, organise
from catalog.search import facets as faceting
from catalog.search.catalog_search import CatalogSearch
from catalog.search.facets import facets_of, immediate_facets, uncounted_facets
from catalog.search.results import page_of
from playground.factories.connections import runnable_ids
from tests.conftest import Program
from tests.factories import make_tool
from toolshelf_core.caching import DEFAULT_ENTRIES, MAX_CHARACTERS, MAX_ENTRIES, LRUCache

pytestmark = [pytest.mark.django_db, pytest.mark.unit]


def counts_of(facets):
    return {option.label: option.count for facet in facets for option in facet.options}


def test_a_cached_result_is_computed_once_per_key():
    asked = []
    cache = LRUCache()

    for key in ("a", "b", "a"):
        cache.get_or_compute(key, lambda key=key: asked.append(key) or key)

    assert asked == ["a", "b"]


def test_counts_are_asked_once_and_again_when_the_catalog_changed(
    django_assert_num_queries, django_assert_max_num_queries
):
    tool = make_tool("greet", description="Says hello.", examples=[{}])
    make_tool("call", description="Says hello.")
    page_of(CatalogSearch(words="hello"))
    facets_of(CatalogSearch(words="hello"))

    # Whether the catalog is still the same, of which tools the examples hold, which tools run through a source, and
    # whether any tool is restricted.
    with django_assert_num_queries(4):
        facets_of(CatalogSearch(words="hello"))

    make_tool("wave", description="Says hello by hand.", examples=[{}])
    assert counts_of(facets_of(CatalogSearch(words="hello")))["Examples"] == 2

    archive(tool)
    assert counts_of(facets_of(CatalogSearch(words="hello")))["Examples"] == 1
    assert page_of(CatalogSearch()).count == 2


def test_a_page_of_many_tools_has_no_counts_but_their_url(client, monkeypatch):
    monkeypatch.setattr(faceting, "COUNTED_IMMEDIATELY", 1)
    make_tool("greet", description="Says hello.")
    for name in ("wave", "nod"):
        make_tool(name, description="Says hello by hand.", examples=[{}])

    page = client.get("/tools/?q=hello").content.decode()
    facets = client.get("/facets/?q=hello", headers={"hx-request": "true"}).content.decode()
    again = client.get("/tools/?q=hello").content.decode()

    assert 'hx-get="/facets/?q=hello"' in page
    assert '<span class="facet-count">' not in page
    assert "Examples</span>" in page
    assert '<span class="facet-count">2</span>' in facets
    assert "<html" not in facets
    assert 'hx-get="/facets/' not in again
    assert '<span class="facet-count">2</span>' in again


def test_uncounted_facets_count_nothing(monkeypatch, django_assert_max_num_queries):
    monkeypatch.setattr(faceting, "COUNTED_IMMEDIATELY", 0)
    make_tool("greet", description="Says hello.")
    search = CatalogSearch(words="has:examples hello")
    runnable_ids()  # asked once after a change of the catalog

    with django_assert_max_num_queries(3):
        assert immediate_facets(search) is None
        facets = uncounted_facets(search)

    assert set(counts_of(facets).values()) == {None}


def test_facets_without_counts_lead_to_the_words_that_were_searched(client, monkeypatch):
    monkeypatch.setattr(faceting, "COUNTED_IMMEDIATELY", 0)
    make_tool("greet", description="Says hello.")

    for words in ("hello", 'says "hello" & <b>', "grüß+", "..."):
        page = client.get("/tools/", {"q": words, "examples": "1"}).content.decode()
        with_more = urlencode({"q": f"has:examples {words} has:returns"})
        assert f'href="?{with_more}"' in page


def test_a_cached_list_is_rendered_again_after_a_change(client, stranger: Program):
    make_tool("greet", description="Says hello.")
    for _ in range(2):
        assert client.get("/tools/?q=hello").content.count(b'<li class="result">') == 1
        assert stranger.ask("/tools", q="hello").json()["count"] == 1

    make_tool("wave", description="Says hello by hand.")

    assert client.get("/tools/?q=hello").content.count(b'<li class="result">') == 2
    assert stranger.ask("/tools", q="hello").json()["count"] == 2


def test_answers_are_forgotten_by_their_weight_the_eldest_first():
    cache = LRUCache(max_weight=10, weigh=len)

    for text in ("aaaa", "bbbb", "cccc"):
        cache.get_or_compute(text, lambda text=text: text)

    assert [cache.get(text) for text in ("aaaa", "bbbb", "cccc")] == [None, "bbbb", "cccc"]
    assert cache.get_or_compute("far too heavy", lambda: "far too heavy") == "far too heavy"
    assert cache.get("cccc") is None


@pytest.mark.parametrize(
    ("cache", "room"),
    [
        (LRUCache(), DEFAULT_ENTRIES),
        (LRUCache(max_weight=MAX_CHARACTERS, weigh=len), MAX_ENTRIES),
    ],
)
def test_the_number_of_light_results_in_a_cache_is_limited(cache, room):
    for number in range(room + 1):
        cache.get_or_compute(number, lambda: "nothing found")

    assert (cache.get(0), cache.get(1)) == (None, "nothing found")


def test_facets_of_long_words_are_forgotten_before_they_fill_the_memory(monkeypatch):
    make_tool("greet", description="0 or 1", examples=[{}])
    make_tool("wave", description="0 or 1")
    monkeypatch.setattr(faceting._facets, "_max_weight", 60_000)
    long, other = ({"words": f"{number}{'!' * 15_000}"} for number in range(2))

    first = facets_of(CatalogSearch(**long))
    assert facets_of(CatalogSearch(**long)) is first

    facets_of(CatalogSearch(**other))
    assert facets_of(CatalogSearch(**long)) is not first


def test_a_user_renamed_in_the_database_is_found_after_the_index_is_rebuilt(stranger: Program, ada):
    organise(make_tool("greet"), Organisation(owner="ada"), by=None)
    assert stranger.ask("/tools").json()["items"][0]["owner"] == "ada"

    User.objects.filter(pk=ada.pk).update(username="eve")
    call_command("rebuild_index")

    assert stranger.ask("/tools").json()["items"][0]["owner"] == "eve"


def test_a_browser_without_scripts_is_led_to_the_page_with_its_counts(client, monkeypatch):
    monkeypatch.setattr("catalog.search.facets.COUNTED_IMMEDIATELY", 0)
    make_tool("a", description="hello", examples=[{"description": "One."}])

    page = client.get("/tools/?q=hello").content.decode()
    counted = client.get("/facets/?q=hello").content.decode()

    assert '<a href="/facets/?q=hello">' in page
    assert "<h1" in counted
    assert "hello</mark>" in counted
    assert '<a href="/facets/?q=hello">' not in counted


def test_requests_for_the_same_answer_at_the_same_time_compute_it_once():
    cache = LRUCache()
    computing, go_on = threading.Event(), threading.Event()
    computed, answers = [], []

    def compute():
        computed.append(True)
        computing.set()
        go_on.wait(30)
        return "answer"

    threads = [
        threading.Thread(target=lambda: answers.append(cache.get_or_compute("key", compute)))
        for _ in range(8)
    ]
    threads[0].start()
    assert computing.wait(30)
    for thread in threads[1:]:
        thread.start()
    assert cache.get_or_compute("another key", lambda: "at once") == "at once"
    go_on.set()
    for thread in threads:
        thread.join(30)

    assert (len(computed), answers) == (1, ["answer"] * 8)


def test_an_answer_that_fails_is_computed_again_by_whoever_waited_for_it():
    cache = LRUCache()
    computing, go_on = threading.Event(), threading.Event()
    answers = []

    def fail():
        computing.set()
        go_on.wait(30)
        raise ValueError("it failed")

    def ask_and_fail():
        with pytest.raises(ValueError, match="it failed"):
            cache.get_or_compute("key", fail)

    first = threading.Thread(target=ask_and_fail)
    second = threading.Thread(
        target=lambda: answers.append(cache.get_or_compute("key", lambda: "answer"))
    )
    first.start()
    assert computing.wait(30)
    second.start()
    go_on.set()
    first.join(30)
    second.join(30)

    assert answers == ["answer"]
    assert cache.get_or_compute("key", lambda: "yet another") in {"answer", "yet another"}
