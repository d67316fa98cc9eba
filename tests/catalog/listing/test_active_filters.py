"""The filters above a list: what each is called, and what remains without it."""

import pytest

from catalog.listing.active_filters import active_filters
from catalog.listing.catalog_search import CatalogSearch

pytestmark = pytest.mark.django_db


def chips(**search):
    return [(one.label, one.without) for one in active_filters(CatalogSearch(**search))]


def test_each_filter_of_the_query_is_removed_alone():
    assert chips(words='close toolkit:github pull -is:deprecated tag:"a b"') == [
        ("toolkit:github", "?q=close+pull+-is%3Adeprecated+tag%3A%22a+b%22"),
        ("-is:deprecated", "?q=close+toolkit%3Agithub+pull+tag%3A%22a+b%22"),
        ('tag:"a b"', "?q=close+toolkit%3Agithub+pull+-is%3Adeprecated"),
        ("“close pull”", "?q=toolkit%3Agithub+-is%3Adeprecated+tag%3A%22a+b%22"),
    ]


def test_a_filter_within_another_is_removed_as_a_whole():
    assert chips(
        words="mail usable:openai-strict usable:openai -has:examples has:examples usable:openai"
    ) == [
        (
            "usable:openai-strict",
            "?q=mail+usable%3Aopenai+-has%3Aexamples+has%3Aexamples+usable%3Aopenai",
        ),
        ("usable:openai", "?q=mail+usable%3Aopenai-strict+-has%3Aexamples+has%3Aexamples"),
        (
            "-has:examples",
            "?q=mail+usable%3Aopenai-strict+usable%3Aopenai+has%3Aexamples+usable%3Aopenai",
        ),
        (
            "has:examples",
            "?q=mail+usable%3Aopenai-strict+usable%3Aopenai+-has%3Aexamples+usable%3Aopenai",
        ),
        ("“mail”", "?q=usable%3Aopenai-strict+usable%3Aopenai+-has%3Aexamples+has%3Aexamples"),
    ]


def test_words_and_archived_tools_are_removed_alone():
    assert chips(words="runnable:yes mail", archived=True) == [
        ("runnable:yes", "?q=mail&include=archived"),
        ("“mail”", "?q=runnable%3Ayes&include=archived"),
        ("With archived tools", "?q=runnable%3Ayes+mail"),
    ]


def test_a_filter_that_is_wrong_stays_among_the_words():
    assert chips(words="is:nonsense") == [("“is:nonsense”", "?")]


def test_a_long_query_is_cut():
    [(label, _)] = chips(words="x" * 100)

    assert label == f"“{'x' * 60}…”"
