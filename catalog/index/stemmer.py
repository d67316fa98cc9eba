"""Strip the endings of English words: "creating", "created" and "creates" all become "creat".

Source: M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Final

import Stemmer  # type: ignore[import-not-found]

MAX_CHARACTERS: Final = 40  # longer words are not English


class _ThreadStemmer(threading.local):
    """A stemmer for each thread, since threads must not share one."""

    def __init__(self) -> None:
        self.porter = Stemmer.Stemmer("porter", 0)


_STEMMER: Final = _ThreadStemmer()


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of a word in lower case.

    Words of two letters, and with other characters than a to z, stay.
    """
    if not 2 < len(word) <= MAX_CHARACTERS or not word.isascii() or not word.isalpha():
        return word
    return str(_STEMMER.porter.stemWord(word))
