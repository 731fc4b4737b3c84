"""Distributions of a model that reads texts whose tokens another one chose: a small model for a large one's.

Weights read how free a choice was, and at most how likely the token itself, so a model with a vocabulary of
its own will do. It is asked what may follow the text before a token, and never sees what comes after that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core import StelaError, Surrogate
from stela_core.api import Chunk, TokenBytes, backend_of, tokenizer_errors
from stela_models.logits import BATCH, CELLS, Ids, ModelLogits
from stela_models.own_token import OwnToken, OwnTokens, SurrogateChunk, TokenStarts

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from stela_core import Weighting

AT_ONCE = 64
"""Beginnings of a text that are cut into tokens at once."""


class _Row(NamedTuple):
    """Tokens that the model reads, and for whom."""

    text: int
    ids: Ids
    wanted: list[tuple[int, int]]
    """How many of them stand before a scored token, and which one that is; ascending."""
    ends: dict[int, int]
    """Number of tokens that end with a scored token, by that token, where it is several of them."""

    def last(self, place: int, which: int) -> int:
        """How many tokens stand before the last logits that are needed for a scored token."""
        return max(place, self.ends.get(which, 0) - 1)


class SurrogateLogits(ModelLogits):
    """Distributions as of :class:`.ModelLogits`, by a model that cuts texts in its own way.

    The text before a token may end within a token of the surrogate's. So a distribution is one over two
    vocabularies: the tokens that may follow its last token, and those that may stand in the place of that
    token and go on from its bytes.

    Args:
        surrogate: the model.
        tokens: bytes of the texts' own token ids.
        batch: rows run at once.
        cells: logits held at once, before they are put together.
        own: whether chunks say what of a distribution is the text's own token.
    """

    def __init__(
        self,
        surrogate: Surrogate,
        tokens: TokenBytes,
        batch: int = BATCH,
        cells: int = CELLS,
        own: bool = False,
    ) -> None:
        super().__init__(*surrogate, batch, cells)
        self._written = tokens
        self._backend = backend_of(surrogate.tokenizer)
        self._own = TokenBytes.of(self._backend)
        self._starts = TokenStarts(self._own)
        self._finds = OwnTokens(tokens, self._own) if own else None

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
        scored = [ids[at] for ids, at in zip(texts, positions, strict=True)]
        places = [_places(row, len(prefix)) for row, prefix in zip(rows, before, strict=True)]
        ready: dict[int, dict[int, Any]] = {}
        for chunk in super().chunks([row.ids for row in rows], places, before):
            seen = ready.setdefault(chunk.text, {})
            read = places[chunk.text][chunk.start : chunk.stop].tolist()
            seen.update(zip(read, chunk.logits, strict=True))
            row, prefix = rows[chunk.text], before[chunk.text]
            asked = [one for one in row.wanted if one[0] + len(prefix) > 0]
            here = [one for one in asked if read[0] <= row.last(*one) <= read[-1]]
            yield from self._told(row, here, seen, scored[row.text])
            # Later ones may ask for what stood before the last of these: copies, so that the rest can go.
            later = [place - 1 for place, which in asked if row.last(place, which) > read[-1]]
            kept = [place for place in seen if later and place >= min(later)]
            ready[chunk.text] = {place: seen[place].clone() for place in kept}
        for row, prefix in zip(rows, before, strict=True):
            if not len(prefix):
                yield from self._told(row, [one for one in row.wanted if one[0] == 0], {}, scored[row.text])

    def _rows(self, number: int, ids: list[int], at: list[int]) -> list[_Row]:
        """What the model reads of a text: one row, and others for beginnings that are cut in another way."""
        if not at:
            return []
        text, ends = self._written.text_and_ends(ids)
        ends = [*ends, len(text)]
        whole = self._cut([text[: ends[at[-1] + (self._finds is not None)]]])[0]
        rows = {b"": _Row(number, whole, [], {})}
        for first in range(0, len(at), AT_ONCE):
            group = range(first, min(first + AT_ONCE, len(at)))
            cuts = self._cut([text[: ends[at[n]]] for n in group])
            after = cuts if self._finds is None else self._cut([text[: ends[at[n] + 1]] for n in group])
            for which, cut, longer in zip(group, cuts, after, strict=True):
                # What it says of a token of several of its own stands in the row that has them all.
                goes_on = len(longer) > len(cut) + 1 and np.array_equal(longer[: len(cut)], cut)
                read = longer if goes_on else cut
                key = b"" if np.array_equal(whole[: len(read)], read) else read.tobytes()
                row = rows.setdefault(key, _Row(number, read, [], {}))
                row.wanted.append((len(cut), which))
                if goes_on:
                    row.ends[which] = len(longer)
        return [row._replace(wanted=sorted(row.wanted)) for row in rows.values() if row.wanted]

    def _cut(self, texts: list[str]) -> list[Ids]:
        with tokenizer_errors("the surrogate's tokenizer fails on a text", "name another model"):
            encodings = self._backend.encode_batch_fast(texts, add_special_tokens=False)
        return [np.array(encoding.ids, dtype=np.int64) for encoding in encodings]

    def _told(
        self, row: _Row, wanted: list[tuple[int, int]], seen: dict[int, Any], scored: Ids
    ) -> Iterator[Chunk]:
        """The chunks of some scored tokens, given the logits after a number of tokens of their row."""
        import torch

        told = sorted((which, place) for place, which in wanted)
        for _, run in groupby(enumerate(told), key=lambda one: one[1][0] - one[0]):
            group = [each for _, each in run]
            logits = torch.stack([self._expected(row, place, seen) for _, place in group])
            own: list[OwnToken] = []
            if self._finds is not None:
                own = [self._own_of(row, place, which, seen, int(scored[which])) for which, place in group]
            yield SurrogateChunk(row.text, group[0][0], group[-1][0] + 1, logits, own)

    def _own_of(self, row: _Row, place: int, which: int, seen: dict[int, Any], token: int) -> OwnToken:
        """What of :meth:`_expected` is the text's own token."""
        assert self._finds is not None
        data = self._written[token]
        if place not in seen:
            return OwnToken(np.empty(0, dtype=np.int64))
        columns = self._finds.are(data)
        if place > 0 and place - 1 in seen:
            begun = self._own[int(row.ids[place - 1])]
            if begun:
                columns = np.concatenate([columns, len(self._own) + self._finds.are(data, begun)])
        if which not in row.ends:
            return OwnToken(columns)
        first = int(row.ids[place])
        if not data.startswith(self._own[first]) or first in columns:
            return OwnToken(columns)
        rest = 0.0
        for index in range(place + 1, row.ends[which]):
            rest += float(seen[index][: len(self._own)].float().log_softmax(dim=-1)[int(row.ids[index])])
        return OwnToken(columns, first, rest)

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
        StelaError: the tokenizer is another one, or a surrogate cannot replace it.
    """
    if not isinstance(model, Surrogate):
        check(model[1])
        return ModelLogits(*model)
    if not evidence.any_model:
        raise StelaError(
            f'weighting "{evidence.name}" reads which tokens are likely: a surrogate cannot replace it.',
            "give the model that writes such texts",
        )
    return SurrogateLogits(model, tokens, own="token" in evidence.needs)


def _places(row: _Row, prefix: int) -> npt.NDArray[np.intp]:
    """How many tokens stand before the logits that are needed; none but after something."""
    places = {one for place, which in row.wanted for one in range(place - 1, row.last(place, which) + 1)}
    return np.array(sorted(one for one in places if one + prefix > 0 and one >= 0), dtype=np.intp)
