"""What spaCy's rules make of each piece of text between white space: the same in every text, so done once."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain, pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from stela_spacy.network import OUTSIDE
from stela_spacy.plain_rules import without_cases
from stela_spacy.rule_words import RuleWords

if TYPE_CHECKING:
    from spacy.language import Language

Numbers = npt.NDArray[np.int64]
KEPT_PIECES = 65_536
BREAK = "\n"
"""A separate token, which parts pieces that are tokenised together."""


class Laid(NamedTuple):
    """Tokens of pieces, one piece after the other."""

    tokens: Numbers
    """(t,) numbers of the tokens."""
    blank: npt.NDArray[np.bool_]
    """(t,) whether a token is white space."""
    ends: Numbers
    """(pieces + 1,) where each piece begins and ends among them; the first is 0."""


class Piece(NamedTuple):
    """A piece by itself."""

    number: int
    """Which one it is."""
    tokens: Sequence[int]
    """The numbers of its tokens."""
    blank: bool
    """Whether it is white space."""
    first: int
    """Number of its first token among those behind a seam, 0 for others."""
    last: int
    """Number of its last token among those before a seam, 0 for others."""


class PieceTokens:
    """Tokens of pieces: runs without white space, and the white space between them.

    spaCy cuts each piece by itself. Its special cases, though (``:)``), are looked for in the tokens of the
    whole text: :meth:`seams` says between which pieces one might be seen by mistake.
    """

    def __init__(self, nlp: Language, columns: Sequence[int | str]) -> None:
        """``columns``: the attributes that make a token's key; they depend only on the token."""
        from spacy.attrs import IDS, NAMES, ORTH

        self._make_doc = nlp.make_doc
        self._columns = [*columns, ORTH]
        self._vocab = nlp.vocab
        self._rule_words = RuleWords(nlp.tokenizer)
        self._getters = _getters_of(nlp, columns)
        self._own = [attrgetter(NAMES[IDS[one] if isinstance(one, str) else one].lower()) for one in columns]
        """What gives a word of spaCy's vocabulary its attributes."""
        self._break = nlp.vocab.strings.add(BREAK)
        self._seams = _seams_of(nlp)
        self._forget()

    def numbers_of(self, pieces: Sequence[str]) -> Numbers:
        """(n,) the number of each piece, known from now on."""
        known = self.known
        self._learn(dict.fromkeys(piece for piece in pieces if piece not in known))
        self._gather()
        return np.array([known[piece].number for piece in pieces], dtype=np.int64)

    def piece(self, piece: str) -> Piece:
        """One that was not met before; it is among the known ones from now on."""
        self._learn([piece])
        return self.known[piece]

    def lay_out(self, pieces: Numbers) -> Laid:
        """The tokens of pieces."""
        sizes = self._sizes[pieces]
        ends = np.zeros(len(pieces) + 1, dtype=np.int64)
        np.cumsum(sizes, out=ends[1:])
        places = np.repeat(self._starts[pieces] - ends[:-1], sizes)
        places += np.arange(len(places))
        return Laid(self._tokens[places], self._blank[places], ends)

    def seams(self, before: Numbers, after: Numbers) -> npt.NDArray[np.bool_]:
        """(n,) whether the end of a piece and the begin of the next might be taken for a special case."""
        seams: npt.NDArray[np.bool_] = self._seam_table[self._last[before], self._first[after]]
        return seams

    def seam(self, before: Piece, after: Piece) -> bool:
        """:meth:`seams` of two."""
        return bool(before.last and after.first and self._seam_table[before.last, after.first])

    def keys(self, tokens: Iterable[int]) -> list[bytes]:
        """What the network knows the tokens by."""
        keys = self._keys
        return [keys[token] for token in tokens]

    def make_room(self) -> None:
        """Forget all pieces where there are too many; numbers given before mean nothing then."""
        if len(self.known) > KEPT_PIECES:
            self._forget()

    def _forget(self) -> None:
        self.known: dict[str, Piece] = {}
        """The pieces that were met."""
        self._new: list[Piece] = []
        """Pieces that are not in the arrays yet."""
        self._token_of: dict[bytes, int] = {OUTSIDE: 0}
        self._word_of: dict[str, tuple[int, int]] = {}
        """Numbers of token and string of a word by itself."""
        self._keys = [OUTSIDE]
        self._starts = self._sizes = np.zeros(0, dtype=np.int64)
        self._tokens = np.zeros(0, dtype=np.int64)
        self._blank = np.zeros(0, dtype=np.bool_)
        self._first = self._last = np.zeros(0, dtype=np.int64)
        self._left = {left: n for n, left in enumerate(dict.fromkeys(a for a, _ in self._seams), 1)}
        self._right = {right: n for n, right in enumerate(dict.fromkeys(b for _, b in self._seams), 1)}
        self._seam_table = np.zeros((len(self._left) + 1, len(self._right) + 1), dtype=np.bool_)
        for left, right in self._seams:
            self._seam_table[self._left[left], self._right[right]] = True

    def _learn(self, pieces: Iterable[str]) -> None:
        together: list[str] = []
        for piece in pieces:
            if not piece:
                self._keep(piece, (), ())
            elif piece.isspace():
                self._keep_all([piece], self._attributes(piece), [1])
            else:
                words = None if self._getters is None else self._rule_words.words_of(piece)
                if words is None:
                    together.append(piece)
                else:
                    tokens, spelt = zip(*map(self._word, words), strict=True)
                    self._keep(piece, tokens, spelt)
        if together:
            table: npt.NDArray[np.uint64] = self._attributes(BREAK.join(together))
            breaks = np.flatnonzero(table[:, -1] == self._break)
            sizes = np.diff(breaks, prepend=-1, append=len(table)) - 1
            words_of_all = table[table[:, -1] != self._break]
            self._keep_all(together, words_of_all, sizes.tolist())

    def _word(self, word: str) -> tuple[int, int]:
        """Numbers of the token and of the string of a word that the rules made.

        spaCy works out some twenty attributes of a word that it has not met, and never forgets them. Here
        they are the few that are needed; of words that it knows they are its own.
        """
        assert self._getters is not None
        known = self._word_of.get(word)
        if known is None:
            strings, vocab = self._vocab.strings, self._vocab
            if word in vocab:
                lexeme = vocab[word]
                attributes = [getter(lexeme) for getter in self._own]
            else:
                attributes = [strings[getter(word)] for getter in self._getters]
            known = self._word_of[word] = self._token(array("Q", attributes).tobytes()), strings[word]
        return known

    def _attributes(self, text: str) -> npt.NDArray[np.uint64]:
        table: Any = self._make_doc(text).to_array(self._columns)  # its stubs know floats alone
        return cast(npt.NDArray[np.uint64], table)

    def _keep_all(self, pieces: Sequence[str], table: npt.NDArray[np.uint64], sizes: Sequence[int]) -> None:
        raw = np.ascontiguousarray(table[:, :-1]).tobytes()
        size = 8 * (table.shape[1] - 1)
        tokens = [self._token(raw[i : i + size]) for i in range(0, len(raw), size)]
        words = table[:, -1].tolist()
        end = 0
        for piece, count in zip(pieces, sizes, strict=True):
            start, end = end, end + count
            self._keep(piece, tokens[start:end], words[start:end])

    def _keep(self, piece: str, tokens: Sequence[int], words: Sequence[int]) -> None:
        first = self._right.get(words[0], 0) if words else 0
        last = self._left.get(words[-1], 0) if words else 0
        known = Piece(len(self.known), tokens, piece.isspace(), first, last)
        self.known[piece] = known
        self._new.append(known)

    def _gather(self) -> None:
        """Put what is new behind the arrays."""
        if not self._new:
            return
        new, self._new = self._new, []
        sizes = [len(piece.tokens) for piece in new]
        starts = accumulate(sizes[:-1], initial=len(self._tokens))
        self._starts, self._sizes = _longer(self._starts, starts), _longer(self._sizes, sizes)
        self._tokens = _longer(self._tokens, chain.from_iterable(piece.tokens for piece in new))
        blank = np.repeat([piece.blank for piece in new], sizes)
        self._blank = np.append(self._blank, blank)
        self._first = _longer(self._first, (piece.first for piece in new))
        self._last = _longer(self._last, (piece.last for piece in new))

    def _token(self, key: bytes) -> int:
        number = self._token_of.get(key)
        if number is None:
            number = self._token_of[key] = len(self._keys)
            self._keys.append(key)
        return number


def _longer(held: Numbers, more: Iterable[int]) -> Numbers:
    return np.append(held, np.fromiter(more, dtype=np.int64))


def _getters_of(nlp: Language, columns: Sequence[int | str]) -> list[Callable[[str], str]] | None:
    """What gives a new word its attributes; ``None`` where some are not strings that the language makes."""
    from spacy.attrs import IDS, ORTH

    vocab: Any = nlp.vocab
    getters: dict[int, Callable[[str], str]] = {ORTH: str, **vocab.lex_attr_getters}
    wanted = [getters.get(IDS[one] if isinstance(one, str) else one) for one in columns]
    if any(getter is None or not isinstance(getter("a"), str) for getter in wanted):
        return None
    return [getter for getter in wanted if getter is not None]


def _seams_of(nlp: Language) -> set[tuple[int, int]]:
    """Words that are next to each other within what spaCy looks for in the tokens of a text."""
    rules: Any = nlp.tokenizer
    plain = without_cases(nlp)
    strings = nlp.vocab.strings
    cut = ([strings[token.orth_] for token in plain(case)] for case in rules.rules)
    return {pair for case in cut for pair in pairwise(case)}
