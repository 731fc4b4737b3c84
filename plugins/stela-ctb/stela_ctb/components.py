"""HanLP components of the shipped models: ``hanlp.load`` finds them by their class path.

They run the network in 64 bits: what stands in the same batch changes a score by 1e-15 at most, which
turns no decision. This is the plain way to the tags; :mod:`stela_ctb.fast` is the quick one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from hanlp.components.taggers.rnn_tagger import RNNTagger

from stela_ctb.boundaries import labels_of, words_of
from stela_ctb.characters import Characters, Encoded
from stela_ctb.network import CharacterNetwork

NO_TAG = ""
"""What white space has for a tag."""


class CharacterComponent(RNNTagger):  # type: ignore[misc]
    """A HanLP tagger whose model is a :class:`CharacterNetwork`."""

    model: CharacterNetwork

    def build_model(self, **kwargs: Any) -> CharacterNetwork:
        """The network that config and vocabularies describe, in 64 bits."""
        sizes = {
            "chars": len(self.vocabs["char"].idx_to_token),
            "pairs": len(self.vocabs["pair"].idx_to_token),
            "boundaries": self.config["boundaries"],
            "labels": len(self.vocabs["tag"].idx_to_token),
        }
        shape = {name: self.config[name] for name in ("char_width", "pair_width", "width", "dilations")}
        return CharacterNetwork(sizes, **shape).double()

    def load_weights(self, save_dir: str, filename: str = "model.pt", **kwargs: Any) -> None:
        """Read weights of 16 bits into the network of 64; all of them must be there."""
        weights = torch.load(Path(save_dir) / filename, map_location="cpu", weights_only=True)
        self.model.load_state_dict(weights, strict=True)
        self.characters = Characters(self.vocabs["char"].idx_to_token, self.vocabs["pair"].idx_to_token)

    def save_weights(self, save_dir: str, filename: str = "model.pt", **kwargs: Any) -> None:
        """Write the weights in 16 bits."""
        torch.save({name: w.half() for name, w in self.model.state_dict().items()}, Path(save_dir) / filename)

    def save_vocabs(self, save_dir: str, filename: str = "vocabs.json") -> None:
        """Write the vocabularies as HanLP does, without the white space that would double them."""
        content = {name: vocabulary.to_dict() for name, vocabulary in self.vocabs.items()}
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        (Path(save_dir) / filename).write_text(text + "\n", encoding="utf-8")

    @torch.no_grad()
    def scores(self, texts: Sequence[str], boundaries: Sequence[Any] | None = None) -> torch.Tensor:
        """(texts, longest, labels) scores of the characters of each text; of no meaning behind its end."""
        encoded = [self.characters.encode([text], 0) for text in texts]
        chars, left, right = (self._padded(encoded, name) for name in ("chars", "left", "right"))
        inside = self._padded(encoded, "inside").double()
        given = None
        if boundaries is not None:
            given = torch.zeros_like(chars)
            for row, labels in zip(given, boundaries, strict=True):
                row[: len(labels)] = torch.from_numpy(labels + 1)
        scores: torch.Tensor = self.model(chars, left, right, inside, given)
        return scores

    @staticmethod
    def _padded(encoded: Sequence[Encoded], name: str) -> torch.Tensor:
        rows = [torch.from_numpy(getattr(one, name)) for one in encoded]
        return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)


class CharacterTokenizer(CharacterComponent):
    """Texts to words; runs of white space are separate items, so that the items join to the text."""

    def predict(self, texts: str | list[str], batch_size: int | None = None, **kwargs: Any) -> Any:
        """Items of one text or of each of several."""
        if isinstance(texts, str):
            return self.predict([texts])[0]
        if not texts:
            return []
        rows = zip(texts, self.scores(texts).numpy(), strict=True)
        return [words_of(text, scores[: len(text)]) for text, scores in rows]


class CharacterTagger(CharacterComponent):
    """Words to tags, by the mean score of a word's characters.

    An item of white space stands between words and has the tag ``""``.
    """

    def predict(
        self, tokens: list[str] | list[list[str]], batch_size: int | None = None, **kwargs: Any
    ) -> Any:
        """Tags of the items of one text or of each of several."""
        if not tokens:
            return []
        if isinstance(tokens[0], str):
            return self.predict([tokens])[0]
        texts = ["".join(items) for items in tokens]
        spans = [spans_of(items) for items in tokens]
        boundaries = [labels_of(words, len(text)) for words, text in zip(spans, texts, strict=True)]
        names = self.vocabs["tag"].idx_to_token
        filled = []
        for items, words, scores in zip(tokens, spans, self.scores(texts, boundaries), strict=True):
            tags = iter([names[int(scores[start:end].mean(0).argmax())] for start, end in words])
            filled.append([NO_TAG if item.isspace() else next(tags) for item in items])
        return filled


def spans_of(items: Sequence[str]) -> list[tuple[int, int]]:
    """Start and end of the words among ``items`` in the text that they make up; white space is not a word."""
    spans, start = [], 0
    for item in items:
        if not item.isspace():
            spans.append((start, start + len(item)))
        start += len(item)
    return spans
