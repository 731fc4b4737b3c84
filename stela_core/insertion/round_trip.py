"""Ids that come back: whether a text's own tokenisation would be the ids it was generated with.

Detection reads text, and where the tokenizer cuts it otherwise than the model did, colours are lost. A model may
write ``he`` and ``llo`` where its tokenizer makes ``hello``; a mask at each step takes such ids away.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from stela_core.insertion.step import Rows
from stela_core.text.bpe_pairs import BpePairs
from stela_core.text.prefix import MAX_BYTES_PER_CHARACTER
from stela_core.text.rust import rust
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.token_kinds import KINDS, kinds_after, kinds_of

if TYPE_CHECKING:
    import torch

Logits = TypeVar("Logits", "torch.Tensor", "npt.NDArray[Any]")

SEEN = 8
"""Last ids that are cut again with a candidate behind them."""
COMPARED = 4
"""Of these, the last ones that have to come back; a border at the window's beginning lies before them."""
TRIED = 64
"""Candidates a step that are tried by cutting the text again, the likeliest ones."""
LAST_RESORT = 1024
"""Candidates that are tried where none of those came back."""
SPAN = 8.0
"""Candidates this many nats below the likeliest id are not tried: e^-8 of its probability."""


class RoundTrip:
    """Which ids may come next, so that the text, cut again, is the same ids.

    A function of the generated ids and the logits, as all of a step. Tokens of letters are decided for the whole
    vocabulary at once, by the tokenizer's merges (:class:`.BpePairs`). The likeliest of the others, signs,
    digits, spaces and pieces of characters, are tried by cutting the last ids again with each of them; those that
    are not tried are not allowed. Special tokens always are.

    Args:
        tokenizer: the profile's.
        tokens: bytes of its ids.
    """

    def __init__(self, tokenizer: Tokenizer, tokens: TokenBytes) -> None:
        self._tokenizer = tokenizer
        self.tokens = tokens

        self._pairs = BpePairs.of(tokenizer)
        size = len(tokens)
        made = np.zeros(size, dtype=np.bool_) if self._pairs is None else self._pairs.made
        self._kinds = kinds_of(tokenizer, tokens, made)
        self.text = np.array([tokens.is_text(index) for index in range(size)], dtype=np.bool_)
        """Whether an id is an ordinary token, (ids,)."""
        self._continues = np.array(
            [b"\x80" <= tokens[index][:1] < b"\xc0" for index in range(size)], dtype=np.bool_
        )
        """Whether a token begins within a character."""
        self._of_kinds = {kinds: np.isin(self._kinds, sorted(kinds)) for kinds in KINDS}

    def apply(self, rows: Rows, logits: Logits) -> Logits:
        """The logits, minus infinity where an id would not come back.

        Args:
            rows: token ids generated so far of each row, its prompt left out.
            logits: (rows, width), a torch tensor or a numpy array; left as it was.

        Returns:
            logits of the same shape, kind, type and device.
        """
        scores = logits if isinstance(logits, np.ndarray) else logits.detach().float().cpu().numpy()
        allowed = np.stack([self.allowed(ids, own) for ids, own in zip(rows, scores, strict=True)])
        if isinstance(logits, np.ndarray):
            out = logits.copy()
            out[~allowed] = -np.inf
            return out
        import torch  # whoever has a tensor has it

        return logits.masked_fill(torch.from_numpy(~allowed).to(logits.device), -torch.inf)

    def allowed(self, ids: Sequence[int], scores: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Which ids may come after ``ids``.

        Args:
            ids: generated so far of one text, its prompt left out.
            scores: the logits of the step, (width,).

        Returns:
            (width,); all of them where none would be left but special ones, or the text has ended.
        """
        width = len(scores)
        everything = np.ones(width, dtype=np.bool_)
        if len(ids) and not self.tokens.is_text(int(ids[-1])):
            return everything
        size = min(width, len(self.tokens))
        window = [int(index) for index in ids[-SEEN:]]
        window = window[1 + max((n for n, index in enumerate(window) if not self.text[index]), default=-1) :]
        decided = self._of_kinds[self._kinds_after(window)][:size]
        kept = decided.copy()
        if window and self._pairs is not None:
            unstable = self._pairs.unstable_after(window[-1])
            kept[unstable[unstable < size]] = False
        begun = bool(read(self._bytes_of(window))[1])
        others = np.flatnonzero(self.text[:size] & ~decided & (self._continues[:size] == begun))
        tried = likeliest(others, scores, float(scores.max(initial=-np.inf)) - SPAN)
        kept[self._coming_back(window, tried)] = True
        if not np.isfinite(scores[:size][kept]).any():
            # A dead end, as it seems: one of the less likely may lead out of it.
            kept[self._coming_back(window, likeliest(others, scores, -np.inf, LAST_RESORT))] = True
        if not np.isfinite(scores[:size][kept]).any():
            return everything
        everything[:size] = kept | ~self.text[:size]
        return everything

    def come_back(self, window: Sequence[int], candidates: Sequence[int]) -> list[bool]:
        """Whether each candidate comes back behind the last ids of a text, by cutting the text again.

        Where a candidate ends within a character there is no text to cut yet: it is enough that the bytes may
        still become one, and that BPE leaves the last two ids apart, as for tokens of letters.
        """
        back = [False] * len(candidates)
        texts, numbers = [], []
        text, begun = read(self._bytes_of(window))
        safe = bool(begun) or not window or bool(kinds_after(text))
        if len(window) < SEEN:
            text = self.tokens.decode(window)  # without what SentencePiece writes before the first word
        for number, candidate in enumerate(candidates):
            try:
                added, left = read(begun + self.tokens[candidate], "strict")
            except UnicodeDecodeError:
                continue  # it breaks a character
            if left:
                apart = safe or self._stays_before(window, text, self.tokens[candidate])
                back[number] = apart and self._stable(window, candidate)
            else:
                texts.append(text + added if window else self.tokens.decode([candidate]))
                numbers.append(number)
        with rust("the tokenizer fails on a text", "get the profile again, or make it anew"):
            again = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        for number, encoding in zip(numbers, again, strict=True):
            wanted = [*window, candidates[number]]
            whole = len(wanted) <= COMPARED
            back[number] = (encoding.ids if whole else encoding.ids[-COMPARED:]) == wanted[-COMPARED:]
        return back

    def _coming_back(self, window: Sequence[int], tried: Sequence[int]) -> list[int]:
        return [index for index, back in zip(tried, self.come_back(window, tried), strict=True) if back]

    def _stays_before(self, window: Sequence[int], text: str, data: bytes) -> bool:
        """Whether the last ids stay as they are before a letter that begins with these bytes."""
        for fill in range(0x80, 0xC0):
            whole, left = read(data + bytes([fill]) * (MAX_BYTES_PER_CHARACTER - 1))
            letter = whole[: len(read(data)[0]) + 1]
            if not left and letter[-1:].isalpha():
                break
        else:
            return False
        again = self._tokenizer.encode(text + letter, add_special_tokens=False).ids
        rest = len(letter.encode())
        while rest > 0:
            rest -= len(self.tokens[again.pop()])
        return rest == 0 and again[1 - COMPARED :] == list(window[1 - COMPARED :])

    def _stable(self, window: Sequence[int], candidate: int) -> bool:
        if not window or self._pairs is None:
            return True
        unstable = self._pairs.unstable_after(window[-1])
        place = int(np.searchsorted(unstable, candidate))
        return place == len(unstable) or int(unstable[place]) != candidate

    def _kinds_after(self, window: Sequence[int]) -> frozenset[int]:
        text, begun = read(self._bytes_of(window))
        return frozenset() if begun else kinds_after(text)

    def _bytes_of(self, ids: Sequence[int]) -> bytes:
        return b"".join(self.tokens[index] for index in ids)


def read(data: bytes, errors: str = "replace") -> tuple[str, bytes]:
    """Bytes as text, and those at the end that are the beginning of a character.

    Raises:
        UnicodeDecodeError: ``errors`` is "strict", and they are no text.
    """
    decoder = codecs.getincrementaldecoder("utf-8")(errors)
    return decoder.decode(data), decoder.getstate()[0]


def likeliest(
    ids: npt.NDArray[np.intp], scores: npt.NDArray[Any], least: float, count: int = TRIED
) -> list[int]:
    """Up to ``count`` of the ids with the highest scores of at least ``least``, the lower id where they tie."""
    own = scores[ids]
    near = own >= least
    ids, own = ids[near], own[near]
    if len(ids) > count:
        bound = np.partition(own, len(own) - count)[len(own) - count]
        near = own >= bound
        ids, own = ids[near], own[near]
    return ids[np.argsort(-own, kind="stable")][:count].tolist()


def comes_back(ids: Sequence[int], tokenizer: Tokenizer, tokens: TokenBytes) -> bool:
    """Whether a text's own tokenisation is the ids it was generated with: the slow, plain definition."""
    return tokenizer.encode(tokens.decode(ids), add_special_tokens=False).ids == list(ids)
