"""The last tokens of texts, one text behind the other, as the network takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stela_spacy.network import OUTSIDE, REACH
from stela_spacy.overlaps import PIECE
from stela_spacy.piece_tokens import Piece, PieceTokens

if TYPE_CHECKING:
    from spacy.tokens import Doc

OUT = [OUTSIDE] * REACH


class Run:
    """Tokens of texts whose last words are to be scored."""

    def __init__(self) -> None:
        self.keys: list[bytes] = []
        """Keys of the tokens at each text's end, with two that stand for the outside on both sides."""
        self.places: list[int] = []
        """Places of the words among them."""
        self.sizes: list[int] = []
        """Words of each text."""

    def take_pieces(self, table: PieceTokens, text: str, count: int) -> bool:
        """Take the last ``count`` > 0 words of a text whose pieces are cut once, at most 100 characters each.

        Returns:
            whether they were taken; else spaCy has to cut the text.
        """
        if text[:1].isspace():
            return False
        known = table.known
        # From the end on, tokens and the words among them, until there are two tokens before the first word.
        # Nothing is seen from there on of what stands further before, unless a special case reaches over.
        tokens: list[int] = []
        words: list[int] = []
        behind: Piece | None = None
        for characters in reversed(PIECE.findall(text)):
            piece = known.get(characters) or table.piece(characters)
            if behind is not None and piece.last and table.seam(piece, behind):
                return False
            behind = piece
            size = len(tokens)
            if len(words) >= count and size > words[count - 1] + REACH:
                break
            tokens += reversed(piece.tokens)
            if not piece.blank:
                words += range(size, len(tokens))
        del words[count:]
        self.sizes.append(len(words))
        if words:
            last = min(words[-1] + REACH, len(tokens) - 1)
            offset = len(self.keys) + REACH + last
            self._take(table.keys(tokens[last::-1]))
            self.places += [offset - word for word in reversed(words)]
        return True

    def take_doc(self, doc: Doc, columns: list[int | str], count: int) -> None:
        """Take the last ``count`` > 0 words of a text that spaCy cut."""
        words = _last_words(doc, count)
        self.sizes.append(len(words))
        if words:
            attributes: Any = doc.to_array(columns)  # its stubs know floats alone
            raw, size = attributes.tobytes(), attributes.strides[0]
            start = max(0, words[0] - REACH)
            keys = [raw[i : i + size] for i in range(start * size, len(raw), size)]
            offset = len(self.keys) + REACH - start
            self._take(keys)
            self.places += [offset + word for word in words]

    def _take(self, keys: list[bytes]) -> None:
        self.keys += OUT
        self.keys += keys
        self.keys += OUT


def _last_words(doc: Doc, count: int) -> list[int]:
    """Positions of the last ``count`` tokens that are not white space, in the order of the text."""
    words: list[int] = []
    position = len(doc)
    while position and len(words) < count:
        position -= 1
        if not doc[position].is_space:
            words.append(position)
    return words[::-1]
