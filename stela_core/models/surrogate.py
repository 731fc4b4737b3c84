"""Distributions of a model that reads texts whose tokens another one chose: a small model for a large one's.

Weights read how free a choice was, not which token had which chance, so a model with a vocabulary of its own
will do. It is asked what may follow the text before a token: it sees neither the token nor what comes after.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core.errors import StelaError
from stela_core.models.logits import BATCH, CELLS, Chunk, Ids, ModelLogits
from stela_core.text.prefix import prefix_ends
from stela_core.text.rust import rust
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.token_starts import TokenStarts
from stela_core.text.tokenizer import backend_of

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from stela_core.interfaces import Weighting

AT_ONCE = 64
"""Beginnings of a text that are cut into tokens at once."""


class Surrogate(NamedTuple):
    """A language model that stands in for the one that writes, and its own tokenizer."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase


class _Row(NamedTuple):
    """Tokens that the model reads, and for whom."""

    text: int
    ids: Ids
    wanted: list[tuple[int, int]]
    """How many of them stand before a scored token, and which one that is; ascending."""


class SurrogateLogits(ModelLogits):
    """As :class:`.ModelLogits`, by a model that cuts texts in its own way.

    The text before a token may end within a token of the surrogate's. So a distribution is one over two
    vocabularies: the tokens that may follow its last token, and those that may stand in the place of that
    token and go on from its bytes.

    Args:
        surrogate: the model.
        tokens: bytes of the texts' own token ids.
        batch: rows run at once.
        cells: logits held at once, before they are put together.
    """

    def __init__(
        self, surrogate: Surrogate, tokens: TokenBytes, batch: int = BATCH, cells: int = CELLS
    ) -> None:
        super().__init__(*surrogate, batch, cells)
        self._written = tokens
        self._backend = backend_of(surrogate.tokenizer)
        self._own = TokenBytes.of(self._backend)
        self._starts = TokenStarts(self._own)

    def chunks(
        self, texts: Sequence[Ids], positions: Sequence[npt.NDArray[np.intp]], prefixes: Sequence[Ids]
    ) -> Iterator[Chunk]:
        """Logits before each scored token, (n, 2 vocabulary), as :meth:`.ModelLogits.chunks` gives them.

        Where the model has nothing to read, it expects anything.
        """
        rows = [
            row
            for number, (ids, at) in enumerate(zip(texts, positions, strict=True))
            for row in self._rows(number, ids.tolist(), at.tolist())
        ]
        before = [prefixes[row.text] for row in rows]
        places = [_places(row, len(prefix)) for row, prefix in zip(rows, before, strict=True)]
        ready: dict[int, dict[int, Any]] = {}
        for chunk in super().chunks([row.ids for row in rows], places, before):
            seen = ready.setdefault(chunk.text, {})
            read = places[chunk.text][chunk.start : chunk.stop].tolist()
            seen.update(zip(read, chunk.logits, strict=True))
            row = rows[chunk.text]
            here = [(place, which) for place, which in row.wanted if place in seen and place >= read[0]]
            yield from self._told(row, here, seen)
            # The next one may ask for what stood before the last of these: a copy, so that the rest can go.
            del ready[chunk.text]
            if chunk.stop < len(places[chunk.text]):
                ready[chunk.text] = {read[-1]: chunk.logits[-1].clone()}
        for row, prefix in zip(rows, before, strict=True):
            if not len(prefix):
                yield from self._told(row, [one for one in row.wanted if one[0] == 0], {})

    def _rows(self, number: int, ids: list[int], at: list[int]) -> list[_Row]:
        """What the model reads of a text: one row, and others for beginnings that are cut in another way."""
        if not at:
            return []
        text, ends = prefix_ends(ids, self._written)
        whole = self._cut([text[: ends[at[-1]]]])[0]
        rows = {b"": _Row(number, whole, [])}
        for first in range(0, len(at), AT_ONCE):
            group = range(first, min(first + AT_ONCE, len(at)))
            for which, cut in zip(group, self._cut([text[: ends[at[n]]] for n in group]), strict=True):
                shared = whole[: len(cut)]
                key = b"" if np.array_equal(shared, cut) else cut.tobytes()
                rows.setdefault(key, _Row(number, cut, [])).wanted.append((len(cut), which))
        return [row._replace(wanted=sorted(row.wanted)) for row in rows.values() if row.wanted]

    def _cut(self, texts: list[str]) -> list[Ids]:
        with rust("the surrogate's tokenizer fails on a text", "name another model"):
            encodings = self._backend.encode_batch_fast(texts, add_special_tokens=False)
        return [np.array(encoding.ids, dtype=np.int64) for encoding in encodings]

    def _told(self, row: _Row, wanted: list[tuple[int, int]], seen: dict[int, Any]) -> Iterator[Chunk]:
        """The chunks of some scored tokens, given the logits after so many tokens of their row."""
        import torch

        told = sorted((which, self._expected(row, place, seen)) for place, which in wanted)
        for _, run in groupby(enumerate(told), key=lambda one: one[1][0] - one[0]):
            group = [each for _, each in run]
            logits = torch.stack([logits for _, logits in group])
            yield Chunk(row.text, group[0][0], group[-1][0] + 1, logits)

    def _expected(self, row: _Row, place: int, seen: dict[int, Any]) -> Any:
        """Log-probabilities (2 vocabulary,) of what may follow the first tokens of a row."""
        import torch

        size = len(self._own)
        told = torch.full((2 * size,), -torch.inf, device=self._model.device)
        if place not in seen:
            return torch.zeros_like(told)
        told[:size] = seen[place][:size].float().log_softmax(dim=-1)
        if place == 0 or place - 1 not in seen:
            return told
        begun = self._own[int(row.ids[place - 1])]
        same, longer = (torch.from_numpy(ids).to(told.device) for ids in self._starts.with_bytes(begun))
        if not begun or not len(longer) or not len(same):
            return told
        before = seen[place - 1][:size].float()
        stays, goes_on = before[same].logsumexp(dim=-1), before[longer].logsumexp(dim=-1)
        both = torch.logaddexp(stays, goes_on)
        told[:size] += stays - both
        told[size + longer] = before[longer] - both
        return told


def distributions(
    model: tuple[PreTrainedModel, PreTrainedTokenizerBase] | Surrogate,
    evidence: Weighting,
    tokens: TokenBytes,
    check: Callable[[PreTrainedTokenizerBase], None],
) -> ModelLogits:
    """What a model says of texts, for detection.

    Args:
        model: that writes them, with its tokenizer, or a surrogate.
        evidence: what weighs by it.
        tokens: of the profile.
        check: refuses a tokenizer that is not the profile's.

    Raises:
        StelaError: the tokenizer is another one, or no surrogate will do.
    """
    if not isinstance(model, Surrogate):
        check(model[1])
        return ModelLogits(*model)
    if not evidence.any_model:
        raise StelaError(
            f'weighting "{evidence.name}" reads which tokens are likely: no surrogate will do.',
            "give the model that writes such texts",
        )
    return SurrogateLogits(model, tokens)


def _places(row: _Row, prefix: int) -> npt.NDArray[np.intp]:
    """How many tokens stand before the logits that are needed; none but after something."""
    places = {one for place, _ in row.wanted for one in (place - 1, place) if one + prefix > 0 and one >= 0}
    return np.array(sorted(places), dtype=np.intp)
