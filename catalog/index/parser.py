"""Parse a query: words, phrases, exclusions and conditions. Any text is a valid query.

    weather forecast            both words, in any form; if no tool has both, the best of those with some
    "pull request"              these words, next to each other
    -archive  -"pull request"   not these
    calen*                      words with this beginning; also the last word of a query while it is being typed
    takes:location              a parameter of that name, at any depth
    takes:location:string       of that type
    returns:temperature         as `takes:`, for the return type; needs:apiKey for the configuration
    needs:configuration         has:examples  has:returns  toolkit:github  tag:mail  is:deprecated  is:runnable
    usable:openai               a format that accepts it without changes
    score:90                    a lint score of 90 or more; also score:>=90, score:>90, score:<70, score:<=70
    examples:pass               all examples passed
    is:starred  owner:me        for a person who has signed in; owner:alice for the tools of another user

Words can also form a sentence. Words without much meaning are then ignored, and a quoted phrase
makes a tool rank higher, but does not exclude others: quotation marks in a request mostly contain a
value.

A filter that does not exist, or that does not take such a value, is a problem of the query: nothing
is found, and the problem says what to write instead. `name:value` with an unknown name is text in a
sentence, and if it looks like an id or a URL: `github:create_issue`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

from catalog.index import filter_corrections
from catalog.index.filter_corrections import FilterProblem
from catalog.index.filters import FILTERS, ME, OWNER, STARRED, Condition, Polarity, with_polarity
from catalog.index.tokenizer import is_unspaced, parts_of, token_of, tokens_of
from toolspec.catalog_names import fold

MAX_QUERY_CHARS: Final = 8_000  # the rest of a query is ignored
MAX_WORDS_READ: Final = 400  # distinct words; further ones are ignored
MAX_CONDITIONS: Final = 16  # phrases, and exclusions
MAX_FILTERS: Final = 80
MAX_PHRASE_TOKENS: Final = 16
SENTENCE_WORDS: Final = 7  # more meaningful words than this make a sentence

# Grammatical words. They are searched only if a query has no others.
_GRAMMAR_WORDS: Final = """
    a about above after again all also am an and any are as at be been before being below between both but by can cant
    could did do does doing done each either else ever every for from had has have having he her here hers him his how
    i if in into is isnt it its just kindly like many may maybe me might more most much must my myself neither no nor
    not of off on once one only onto or other our ours out over own please quite rather really same shall she should
    since so some such than that the their theirs them then there these they this those though through to too under
    until up upon us very was we were what whats when where whether which while who whom whose why will with within
    without would yes yet you your yours yourself im ive id dont lets youre thats
"""
_GRAMMAR: Final = frozenset(_GRAMMAR_WORDS.split())
# Words of requests. In a sentence they mean nothing; but a query of two words may well be "get
# weather".
_ASKING_WORDS: Final = """
    get give got hello help hey hi know let look looking looked made make need show something sure tell thank thanks
    thing things try trying use used user using want wanted wish wonder wondering find way well
"""
_ASKING: Final = frozenset(_ASKING_WORDS.split())
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
_MADE_UP: Final = re.compile(
    r"\w[-/.@:]\w|\d"
)  # names, addresses and numbers: specs rarely contain them
MADE_UP_WEIGHT: Final = 0.7


@dataclass(frozen=True, slots=True)
class Word:
    """A word to search.

    Attributes:
        token: as indexed.
        typed: as typed, folded.
        joined: the token of the joined words that it is part of ("getWeather"), which also matches.
        weight: its importance, 1 or less; more if the query repeats it.
        open_ended: more letters may follow.
        exact: it has no alternatives (it was typed as `word*`).
    """

    token: str
    typed: str
    joined: str | None = None
    weight: float = 1.0
    open_ended: bool = False
    exact: bool = False


Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """The tokens of two adjacent words, and the token of both joined."""

    first: str
    second: str
    joined: str


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query.

    Attributes:
        words: the words to search, in order, without duplicates.
        all_tokens: the tokens of all words, in order, including those that are not searched.
        pairs: searched words that were adjacent.
        phrases: quoted words, which stand next to each other in the best results.
        unwanted: words and phrases that a tool must not contain.
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
    unwanted: tuple[Phrase, ...] = ()
    conditions: tuple[Condition, ...] = ()
    sentence: bool = False
    filters: tuple[str, ...] = ()
    problems: tuple[FilterProblem, ...] = ()
    cut: bool = False

    def __bool__(self) -> bool:
        return bool(self.words or self.phrases or self.unwanted or self.conditions or self.problems)

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
        return _Parser(text).query()


def without_filters(text: str, *filters: str) -> str:
    """The text of a query without any occurrence of `filters`, each spelled as in `Query.filters`."""
    return " ".join(_PIECE.sub(lambda piece: "" if piece[0] in filters else piece[0], text).split())


def _end_of_words(pieces: Sequence[re.Match[str]], end: int) -> int:
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


@dataclass(slots=True)
class _Parser:
    text: str
    chunks: list[_Chunk] = field(default_factory=list)
    quoted: list[Phrase] = field(default_factory=list)
    unwanted: list[Phrase] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    problems: list[FilterProblem] = field(default_factory=list)
    unknown: list[FilterProblem] = field(default_factory=list)  # names of filters that do not exist
    filters: list[str] = field(default_factory=list)

    def query(self) -> Query:
        text = self.text[:MAX_QUERY_CHARS]
        pieces = list(_PIECE.finditer(text))
        end = _end_of_words(pieces, len(text))
        for piece in pieces:
            self._add(piece, last=piece.end() == end)
        sentence = self._is_sentence()
        words = tuple(self._words(sentence))
        return Query(
            words=words,
            all_tokens=tuple(token_of(part) for chunk in self.chunks for part in chunk.parts)[
                :MAX_WORDS_READ
            ],
            pairs=tuple(dict.fromkeys(self._pairs({word.token for word in words}))),
            phrases=_distinct(self.quoted),
            unwanted=_distinct(
                one for one in self.unwanted if not (sentence and _is_flag_or_number(one))
            ),
            conditions=tuple(dict.fromkeys(self.conditions))[:MAX_FILTERS],
            sentence=sentence,
            filters=tuple(dict.fromkeys(self.filters))[:MAX_FILTERS],
            problems=tuple(dict.fromkeys([*self.problems, *(() if sentence else self.unknown)]))[
                :MAX_CONDITIONS
            ],
            cut=len(self.text) > MAX_QUERY_CHARS or len(words) == MAX_WORDS_READ,
        )

    # -- pieces -------------------------------------------------------------------------------------------------------

    def _add(self, piece: re.Match[str], *, last: bool) -> None:
        polarity: Polarity = "without" if piece["minus"] else "with"
        name = (piece["field"] or "").lower()
        text = piece["plain"] if piece["quoted"] is None else piece["quoted"]
        if name in FILTERS:
            self._add_field(piece, name, text, polarity)
            return
        if name and not text[:1].isdecimal():  # "localhost:8000" is text
            problem = filter_corrections.unknown_name(piece[0], name, text)
            if (
                problem.instead_is_filter or text.replace(" ", "").isalpha()
            ):  # "github:create_issue" is an id
                self.unknown.append(problem)
        if polarity == "without":
            self.unwanted.append(_phrase(text))
        elif piece["quoted"] is not None:
            phrase = _phrase(text)
            self._add_words(text, exact=len(phrase) == 1)
            self.quoted.append(phrase)
        else:
            whole = piece[0]
            self._add_words(whole, open_ended=last and whole[-1].isalnum())

    def _add_field(self, piece: re.Match[str], name: str, text: str, polarity: Polarity) -> None:
        found = FILTERS[name].read(text)
        if isinstance(found, str):
            self.problems.append(filter_corrections.wrong_value(piece[0], name, text, found))
            return
        self.filters.append(piece[0])
        self.conditions += with_polarity(found, polarity)

    def _add_words(self, text: str, *, open_ended: bool = False, exact: bool = False) -> None:
        chunks = text.split()
        for index, raw in enumerate(chunks):
            chunk = _SHORTENED.sub("", raw)
            parts = parts_of(chunk)
            if not parts or len(self.chunks) >= MAX_WORDS_READ:
                continue
            starred = chunk.endswith("*")
            last = open_ended and index == len(chunks) - 1
            weight = MADE_UP_WEIGHT if _MADE_UP.search(chunk) else 1.0
            self.chunks.append(
                _Chunk(parts, weight, open_ended=last or starred, exact=exact or starred)
            )

    # -- words --------------------------------------------------------------------------------------------------------

    def _is_sentence(self) -> bool:
        words = [fold(part) for chunk in self.chunks for part in chunk.parts]
        meaningful = [word for word in words if word not in _GRAMMAR]
        is_question = len(words) > 2 and (words[0] in _QUESTION or self.text.rstrip().endswith("?"))
        is_personal = len(words) > 3 and not _PERSONAL.isdisjoint(words)
        has_grammar = len(words) - len(meaningful) > 2
        return is_question or is_personal or len(meaningful) > SENTENCE_WORDS or has_grammar

    def _words(self, sentence: bool) -> Iterator[Word]:
        """Each word once; without those that mean little, unless there are no others."""
        meaningful = [chunk for chunk in self.chunks if self._is_meaningful(chunk, sentence)]
        found: dict[str, Word] = {}
        times: dict[str, int] = {}
        for chunk in meaningful or self.chunks:
            for word in _words_of(chunk):
                times[word.token] = times.get(word.token, 0) + 1
                known = found.get(word.token)
                if known is None or word.weight > known.weight:
                    found[word.token] = word
        for word in list(found.values())[:MAX_WORDS_READ]:
            yield replace(word, weight=word.weight * (1 + 0.3 * min(times[word.token] - 1, 3)))

    @staticmethod
    def _is_meaningful(chunk: _Chunk, sentence: bool) -> bool:
        if chunk.open_ended and not sentence:  # it may become another word
            return True
        left_out = _GRAMMAR | _ASKING if sentence else _GRAMMAR
        return any(
            fold(part) not in left_out and (len(part) > 1 or not part.isascii())
            for part in chunk.parts
        )

    def _pairs(self, wanted: set[str]) -> Iterator[Pair]:
        parts = [(part, token_of(part)) for chunk in self.chunks for part in chunk.parts]
        for (first, first_token), (second, second_token) in pairwise(parts):
            if first_token in wanted and second_token in wanted:
                yield Pair(first_token, second_token, token_of(first + second))


def _words_of(chunk: _Chunk) -> Iterator[Word]:
    joined = token_of("".join(chunk.parts)) if len(chunk.parts) > 1 else None
    last = len(chunk.parts) - 1
    for index, part in enumerate(chunk.parts):
        open_ended = chunk.open_ended and index == last
        tokens = tokens_of(part)
        for token in tokens:
            ended = open_ended and token == tokens[-1] and not is_unspaced(token)
            yield Word(token, fold(part), joined, chunk.weight, open_ended=ended, exact=chunk.exact)


def _phrase(text: str) -> Phrase:
    return tuple(tokens_of(text))[:MAX_PHRASE_TOKENS]


def _is_flag_or_number(phrase: Phrase) -> bool:
    """Whether `-phrase` in a sentence is an option of a command (`-m`) or a negative number, not an exclusion."""
    return all(token.isdecimal() or len(token) == 1 for token in phrase)


def _distinct(phrases: Iterable[Phrase]) -> tuple[Phrase, ...]:
    return tuple(dict.fromkeys(filter(None, phrases)))[:MAX_CONDITIONS]
