"""HanLP components of the causal models: ``hanlp.load`` finds them by their class path.

The plain way to their words and tags, in 64 bits; :mod:`stela_ctb.causal_fast` is the quick one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from stela_ctb.causal_network import DELAY, CausalNetwork
from stela_ctb.components import NO_TAG, CharacterComponent, spans_of

Scores = npt.NDArray[np.float64]


class CausalComponent(CharacterComponent):
    """A HanLP tagger whose model is a :class:`CausalNetwork`."""

    model: CausalNetwork  # type: ignore[assignment]
    scores_a_label = 1

    def build_model(self, **kwargs: Any) -> CausalNetwork:  # type: ignore[override]
        """The network that config and vocabularies describe, in 64 bits."""
        sizes = {
            "chars": len(self.vocabs["char"].idx_to_token),
            "pairs": len(self.vocabs["pair"].idx_to_token),
            "labels": self.scores_a_label * len(self.vocabs["tag"].idx_to_token),
        }
        shape = {name: self.config[name] for name in ("char_width", "pair_width", "width", "dilations")}
        return CausalNetwork(sizes, **shape).double()

    @torch.no_grad()
    def judged(self, text: str) -> Scores:
        """(n, labels) scores of n > 0 characters, each by the latest place there is, ``DELAY`` on at most."""
        encoded = self.characters.encode([text], 0)
        ids = (torch.from_numpy(part) for part in (encoded.chars, encoded.left))
        scores = self.model(*ids, torch.from_numpy(encoded.inside).double()).numpy()
        place = np.minimum(np.arange(len(text)) + DELAY, len(text) - 1)
        judged: Scores = scores[place, place - np.arange(len(text))]
        return judged


class CausalTokenizer(CausalComponent):
    """Texts to words: the second of two scores says that a word begins; items join to the text."""

    def predict(self, texts: str | list[str], batch_size: int | None = None, **kwargs: Any) -> Any:
        """Items of one text or of each of several; runs of white space are separate items."""
        if isinstance(texts, str):
            return self._items(texts)
        return [self._items(text) for text in texts]

    def _items(self, text: str) -> list[str]:
        if not text:
            return []
        scores = self.judged(text)
        begins = scores[:, 1] > scores[:, 0]
        items = []
        for match in re.finditer(r"(?P<space>\s+)|\S+", text):
            start, end = match.span()
            inner = [] if match["space"] else (start + 1 + np.flatnonzero(begins[start + 1 : end])).tolist()
            items += [text[a:b] for a, b in pairwise([start, *inner, end])]
        return items


class CausalTagger(CausalComponent):
    """Words to tags, by the sum of the scores of a word's characters, whose first one has separate scores.

    An item of white space stands between words and has the tag ``""``.
    """

    scores_a_label = 2

    def predict(
        self, tokens: list[str] | list[list[str]], batch_size: int | None = None, **kwargs: Any
    ) -> Any:
        """Tags of the items of one text or of each of several."""
        if not tokens:
            return []
        if isinstance(tokens[0], str):
            return self._tags(tokens)
        return [self._tags(items) for items in tokens]

    def _tags(self, items: Sequence[Any]) -> list[str]:
        text = "".join(items)
        if not text:
            return []
        names = self.vocabs["tag"].idx_to_token
        first, rest = np.split(self.judged(text), 2, axis=1)
        best = [
            names[int((first[start] + rest[start + 1 : end].sum(0)).argmax())]
            for start, end in spans_of(items)
        ]
        tags = iter(best)
        return [NO_TAG if item.isspace() else next(tags) for item in items]
