import pytest

from catalog.index.synonyms import NO_ALTERNATIVES, alternatives_of, read_thesaurus


def test_words_of_one_line_are_synonyms():
    thesaurus = read_thesaurus("get = fetch = retrieving  # a remark\n")

    assert [token for token, _ in thesaurus["fetch"].same] == ["get", "retriev"]
    assert thesaurus["fetch"].relatives == ()


def test_a_word_matches_its_subject_more_than_the_subject_matches_the_word():
    thesaurus = read_thesaurus("weather: rain umbrella")

    [(subject, to_subject)] = thesaurus["rain"].relatives
    belonging = dict(thesaurus["weather"].relatives)

    assert subject == "weather"
    assert set(belonging) == {"rain", "umbrella"}
    assert to_subject > belonging["rain"]


def test_two_adjacent_words_count_as_one():
    thesaurus = read_thesaurus("vm = virtual machine")

    assert thesaurus["vm"].same[0][0] == "virtual machin"
    assert thesaurus["virtual machin"].same[0][0] == "vm"


@pytest.mark.parametrize(
    ("word", "other"), [("fetch", "get"), ("remov", "delet"), ("k8s", "kubernet")]
)
def test_common_synonyms_of_software_are_known(word, other):
    assert other in dict(alternatives_of(word).same)


def test_no_word_is_its_own_alternative_or_listed_twice():
    for word in ("get", "imag", "trip", "weather", "test"):
        alternatives = alternatives_of(word)
        same, related = dict(alternatives.same), dict(alternatives.relatives)

        assert word not in same.keys() | related.keys()
        assert not same.keys() & related.keys()


def test_an_unknown_word_has_no_alternatives():
    assert alternatives_of("xyzzy") is NO_ALTERNATIVES
