"""Parse a query: words, phrases, exclusions and conditions. Any text is a valid query.

    weather forecast            both words, in any form; if no tool has both, some of them
    "pull request"              these words, next to each other
    -archive  -"pull request"   not these
    calen*                      words with this beginning; also the last word of a query while it
                                is being typed
    takes:location              a parameter of that name, at any depth
    takes:location:string       of that type
    returns:temperature         as `takes:`, for the return type; needs:apiKey for the configuration
    needs:configuration         has:examples  has:returns  toolkit:github  tag:mail
                                is:deprecated  is:runnable
    usable:openai               a format that accepts it without changes
    score:90                    a lint score of 90 or more; also score:>=90, score:>90, score:<70,
                                score:<=70
    examples:pass               all examples passed
    is:starred  owner:me        for a person who has signed in; owner:alice for the tools of
                                another user

Words can also form a sentence. Words without much meaning are then ignored, and a quoted phrase
makes a tool rank higher, but does not exclude others: quotation marks in a request mostly contain a
value.

A filter that does not exist, or that does not take such a value, is a problem of the query: nothing
is found, and the problem says what to write instead. `name:value` with an unknown name is text in a
sentence, and if it looks like an id or a URL: `github:create_issue`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
from typing import Final, TypeVar

from catalog.index import filter_corrections
from catalog.index.filter_corrections import FilterProblem
from catalog.index.filters import (
    FILTERS,
    ME,
    OWNER,
    STARRED,
    Condition,
    Polarity,
    WrongValue,
    apply_polarity,
)
from catalog.index.tokenizer import is_unspaced, parts_of, token_of, tokens_of
from toolspec.catalog_names import fold

T = TypeVar("T")

MAX_QUERY_CHARS: Final = 8_000  # the rest of a query is ignored
MAX_WORDS_READ: Final = 400  # distinct words; further ones are ignored
MAX_CONDITIONS: Final = 16  # phrases, and exclusions
MAX_FILTERS: Final = 80
MAX_PHRASE_TOKENS: Final = 16
SENTENCE_WORDS: Final = 7  # more meaningful words than this make a sentence

# Grammatical words. They are searched only if a query has no others.
_GRAMMAR_WORDS: Final = """
    a about above after again all also am an and any are as at be been before being below between
    both but by can cant could did do does doing done each either else ever every for from had has
    have having he her here hers him his how i if in into is isnt it its just kindly like many may
    maybe me might more most much must my myself neither no nor not of off on once one only onto or
    other our ours out over own please quite rather really same shall she should since so some such
    than that the their theirs them then there these they this those though through to too under
    until up upon us very was we were what whats when where whether which while who whom whose why
    will with within without would yes yet you your yours yourself im ive id dont lets youre thats
"""
_GRAMMAR: Final = frozenset(_GRAMMAR_WORDS.split())
# Words of requests. In a sentence they mean nothing; but a query of two words may well be "get
# weather".
_ASKING_WORDS: Final = """
    get give got hello help hey hi know let look looking looked made make need show something sure
    tell thank thanks thing things try trying use used user using want wanted wish wonder wondering
    find way well
"""
_ASKING: Final = _GRAMMAR.union(_ASKING_WORDS.split())
_QUESTION_WORDS: Final = (
    "what how which who whom whose where when why is are do does can could should will"
)
_QUESTION: Final = frozenset(_QUESTION_WORDS.split())
_PERSONAL: Final = _QUESTION.union(["i", "me", "my", "im", "ive", "we", "us", "our", "you", "your"])

_PIECE: Final = re.compile(
    r"""(?P<minus>(?<!\S)-(?=[\w"“]|\.\w))?
        (?:(?P<field>[A-Za-z]+):(?=["“\w<>=@#]|\.\w))?
        (?:["“”](?P<quoted>[^"“”]*)["“”]?|(?P<plain>[^\s"“”]+))""",
    re.VERBOSE,
)
_SHORTENED: Final = re.compile(r"['\u2019](?:s|t|re|ve|ll|d|m)$", re.IGNORECASE)
# Names, addresses and numbers: specs rarely contain them.
_MADE_UP: Final = re.compile(r"\w[-/.@:]\w|\d")
MADE_UP_WEIGHT: Final = 0.7


@dataclass(frozen=True, slots=True)
class Word:
    """A word to search.

    Attributes:
        token: as indexed.
        text: as typed, folded.
        compound: the token of the joined words that it is part of ("getWeather"), which also
            matches.
        weight: its importance, 1 or less; more if the query repeats it.
        open_ended: more letters may follow.
        exact: it has no alternatives (it was typed as `word*`).
    """

    token: str
    text: str
    compound: str | None = None
    weight: float = 1.0
    open_ended: bool = False
    exact: bool = False


Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """The tokens of two adjacent words, and the token of both joined."""

    first: str
    second: str
    compound: str


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query.

    Attributes:
        words: the words to search, in order, without duplicates.
        all_tokens: the tokens of all words, in order, including those that are not searched.
        pairs: searched words that were adjacent.
        phrases: quoted words, which stand next to each other in the best results.
        excluded: words and phrases that a tool must not contain.
        conditions: those of its filters.
        sentence: whether it is a sentence rather than a list of words.
        filters: the valid ones as they are written: "toolkit:github".
        problems: filters that do not exist or have a wrong value; a query with a problem finds
            nothing.
        cut: the end of the query was ignored because it is too long.
    """

    words: tuple[Word, ...] = ()
    all_tokens: tuple[str, ...] = ()
    pairs: tuple[Pair, ...] = ()
    phrases: tuple[Phrase, ...] = ()
    excluded: tuple[Phrase, ...] = ()
    conditions: tuple[Condition, ...] = ()
    sentence: bool = False
    filters: tuple[str, ...] = ()
    problems: tuple[FilterProblem, ...] = ()
    cut: bool = False

    def __bool__(self) -> bool:
        return bool(self.words or self.phrases or self.excluded or self.conditions or self.problems)

    @property
    def personal(self) -> bool:
        """Whether the results depend on who searches, besides what that person may see."""
        return self.has_condition(STARRED) or self.has_condition(OWNER + ME)

    def has_condition(self, key: str) -> bool:
        """Whether tools must have this key, or must not have it."""
        return any(condition.key == key for condition in self.conditions)

    @classmethod
    def from_text(cls, text: str) -> Query:
        """Parse any text. The last word is open-ended until a space or a sign follows it.

        Filters at the end do not end it, so that a filter can be added to a word that is being
        typed.
        """
        return _Parser(text).parse()


def remove_filters(text: str, *filters: str) -> str:
    """The text of a query without occurrences of `filters`, each spelled as in `Query.filters`."""
    rest = _PIECE.sub(lambda piece: "" if piece[0] in filters else piece[0], text)
    return " ".join(rest.split())


def _find_end_of_words(pieces: Sequence[re.Match[str]], end: int) -> int:
    """The end of the text before the filters at its end, each of which follows a single space."""
    for piece in reversed(pieces):
        is_last = piece is pieces[-1]  # any spaces may follow it
        if (piece["field"] or "").lower() not in FILTERS or not (is_last or piece.end() == end):
            break
        end = piece.start() - 1
    return end


@dataclass(slots=True)
class _Chunk:
    """The text between two spaces: its words, and their weight."""

    parts: list[str]
    weight: float
    open_ended: bool = False
    exact: bool = False

    def is_meaningful(self, sentence: bool) -> bool:
        if self.open_ended and not sentence:  # it may become another word
            return True
        left_out = _ASKING if sentence else _GRAMMAR
        for part in self.parts:
            if fold(part) not in left_out and (len(part) > 1 or not part.isascii()):
                return True
        return False

    def read_words(self) -> list[Word]:
        compound = token_of("".join(self.parts)) if len(self.parts) > 1 else None
        words = []
        for part in self.parts:
            for token in tokens_of(part):
                words.append(Word(token, fold(part), compound, self.weight, exact=self.exact))
        if words and self.open_ended and not is_unspaced(words[-1].token):
            words[-1] = replace(words[-1], open_ended=True)
        return words


@dataclass(slots=True)
class _Parser:
    text: str
    chunks: list[_Chunk] = field(default_factory=list)
    phrases: list[Phrase] = field(default_factory=list)
    excluded: list[Phrase] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    problems: list[FilterProblem] = field(default_factory=list)
    unknown_names: list[FilterProblem] = field(default_factory=list)
    filters: list[str] = field(default_factory=list)

    def parse(self) -> Query:
        text = self.text[:MAX_QUERY_CHARS]
        pieces = list(_PIECE.finditer(text))
        end = _find_end_of_words(pieces, len(text))
        for piece in pieces:
            self._add(piece, last=piece.end() == end)
        parts: list[str] = []
        for chunk in self.chunks:
            parts += chunk.parts
        excluded = self.excluded
        problems = self.problems
        sentence = self._is_sentence(parts)
        if sentence:
            excluded = [phrase for phrase in excluded if not _is_flag_or_number(phrase)]
        else:
            problems = [*problems, *self.unknown_names]
        words = tuple(self._collect_words(sentence))
        return Query(
            words=words,
            all_tokens=tuple(map(token_of, parts[:MAX_WORDS_READ])),
            pairs=_drop_duplicates(_collect_pairs(parts, {word.token for word in words})),
            phrases=_drop_duplicates(filter(None, self.phrases), MAX_CONDITIONS),
            excluded=_drop_duplicates(filter(None, excluded), MAX_CONDITIONS),
            conditions=_drop_duplicates(self.conditions, MAX_FILTERS),
            sentence=sentence,
            filters=_drop_duplicates(self.filters, MAX_FILTERS),
            problems=_drop_duplicates(problems, MAX_CONDITIONS),
            cut=len(self.text) > MAX_QUERY_CHARS or len(words) == MAX_WORDS_READ,
        )

    # -- pieces ------------------------------------------------------------------------------------

    def _add(self, piece: re.Match[str], *, last: bool) -> None:
        polarity: Polarity = "without" if piece["minus"] else "with"
        name = (piece["field"] or "").lower()
        text = piece["plain"] if piece["quoted"] is None else piece["quoted"]
        if name in FILTERS:
            self._add_field(piece, name, text, polarity)
            return
        if name and not text[:1].isdecimal():  # "localhost:8000" is text
            problem = filter_corrections.explain_unknown_name(piece[0], name, text)
            is_id = not text.replace(" ", "").isalpha()  # "github:create_issue"
            if problem.instead_is_filter or not is_id:
                self.unknown_names.append(problem)
        if polarity == "without":
            self.excluded.append(_read_phrase(text))
        elif piece["quoted"] is not None:
            phrase = _read_phrase(text)
            self._add_words(text, exact=len(phrase) == 1)
            self.phrases.append(phrase)
        else:
            self._add_words(piece[0], open_ended=last and piece[0][-1].isalnum())

    def _add_field(self, piece: re.Match[str], name: str, text: str, polarity: Polarity) -> None:
        try:
            conditions = FILTERS[name].read(text)
        except WrongValue as error:
            problem = filter_corrections.explain_wrong_value(piece[0], name, text, str(error))
            self.problems.append(problem)
        else:
            self.filters.append(piece[0])
            self.conditions += apply_polarity(conditions, polarity)

    def _add_words(self, text: str, *, open_ended: bool = False, exact: bool = False) -> None:
        texts = text.split()
        for index, raw in enumerate(texts):
            text = _SHORTENED.sub("", raw)
            parts = parts_of(text)
            if not parts or len(self.chunks) >= MAX_WORDS_READ:
                continue
            chunk = _Chunk(parts, weight=MADE_UP_WEIGHT if _MADE_UP.search(text) else 1.0)
            has_star = text.endswith("*")
            is_last = index == len(texts) - 1
            chunk.exact = exact or has_star
            chunk.open_ended = has_star or (open_ended and is_last)
            self.chunks.append(chunk)

    # -- words -------------------------------------------------------------------------------------

    def _is_sentence(self, parts: list[str]) -> bool:
        words = list(map(fold, parts))
        count = len(words)
        grammatical = sum(word in _GRAMMAR for word in words)
        if grammatical > 2 or count - grammatical > SENTENCE_WORDS:
            return True
        if count > 3 and not _PERSONAL.isdisjoint(words):
            return True
        return count > 2 and (words[0] in _QUESTION or self.text.rstrip().endswith("?"))

    def _collect_words(self, sentence: bool) -> Iterator[Word]:
        """Each word once; without those that mean little, unless there are no others."""
        meaningful = [chunk for chunk in self.chunks if chunk.is_meaningful(sentence)]
        words: dict[str, Word] = {}
        times: Counter[str] = Counter()
        for chunk in meaningful or self.chunks:
            for word in chunk.read_words():
                times[word.token] += 1
                earlier = words.get(word.token)
                if earlier is None or word.weight > earlier.weight:
                    words[word.token] = word
        for word in islice(words.values(), MAX_WORDS_READ):
            repetitions = min(times[word.token] - 1, 3)
            yield replace(word, weight=word.weight * (1 + 0.3 * repetitions))


def _collect_pairs(parts: list[str], searched_tokens: set[str]) -> Iterator[Pair]:
    for first, second in pairwise(parts):
        tokens = token_of(first), token_of(second)
        if searched_tokens.issuperset(tokens):
            yield Pair(*tokens, token_of(first + second))


def _read_phrase(text: str) -> Phrase:
    return tuple(tokens_of(text))[:MAX_PHRASE_TOKENS]


def _is_flag_or_number(phrase: Phrase) -> bool:
    """Whether `-phrase` in a sentence is an option (`-m`) or a negative number."""
    return all(token.isdecimal() or len(token) == 1 for token in phrase)


def _drop_duplicates(values: Iterable[T], limit: int | None = None) -> tuple[T, ...]:
    return tuple(dict.fromkeys(values))[:limit]
