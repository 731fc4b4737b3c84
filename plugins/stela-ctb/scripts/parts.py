"""A network that was trained, at work and on disk: the words of texts, or the tags of words."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stela_causal.word_files import Boundaries, Description, write_model
from stela_ctb.characters import KINDS, alphabet_of, folded
from stela_ctb.shipped import ROWS, CharacterNetwork, Scores, Spans, tags_of, words_of
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parent))
import both_sides
from looking_left import DELAY, CausalNetwork
from raw_text import SPECIAL, SPECIAL_PAIRS, Start
from samples import inputs_of

Weights = Mapping[str, Tensor]
CLASSES = {"tok": "CharacterTokenizer", "pos": "CharacterTagger"}


class Part:
    """The tokenizer or the tagger of the shipped pair, with weights as they will be read: in 16 bits."""

    def __init__(self, start: Start, labels: list[str], shape: Mapping[str, Any], weights: Weights) -> None:
        self.start, self.labels, self.shape = start, labels, shape
        self.weights = {name: w.half() for name, w in weights.items() if not name.startswith("side.")}
        self.load()

    def load(self) -> None:
        """Make the network of the weights."""
        # Checks the shapes. It also draws random numbers, which training goes on with: the same as ever.
        both_sides.CharacterNetwork(*self.sizes()).load_state_dict(dict(self.weights))
        self._network = CharacterNetwork(self.vocabularies(), self.weights, self.shape["dilations"])

    def sizes(self) -> tuple[Any, ...]:
        """What a network to be trained is made of."""
        sizes = {"chars": len(self.start.chars), "pairs": len(self.start.pairs)}
        sizes |= {"boundaries": len(self.weights.get("boundaries.weight", ()))}
        sizes |= {"labels": len(self.weights["labels.bias"])}
        return sizes, *(self.shape[name] for name in ("char_width", "pair_width", "width", "dilations"))

    def vocabularies(self) -> dict[str, Any]:
        """What the network knows, as HanLP writes it."""
        known = {"char": self.start.chars, "pair": self.start.pairs, "tag": self.labels}
        rest = {"pad_token": None, "unk_token": None, "mutable": False}
        return {name: {"idx_to_token": each, **rest} for name, each in known.items()}

    def words(self, texts: Sequence[str]) -> list[Spans]:
        """Spans of the words of each text."""
        return [words_of(*one) for one in zip(texts, self._network.scores(texts), strict=True)]

    def tags(self, texts: Sequence[str], spans: Sequence[Spans]) -> list[list[str]]:
        """Tags of the words of each text."""
        return tags_of(self._network, texts, spans)

    def save(self, folder: Path, part: str) -> None:
        """Write the three files as HanLP saves a component."""
        folder.mkdir(parents=True, exist_ok=True)
        sizes = {name: self.shape[name] for name in ("char_width", "dilations", "pair_width", "width")}
        config = {"boundaries": 5 * (part == "pos"), **sizes, "crf": False, "token_key": "char"}
        made_by = {
            "classpath": f"stela_ctb.components.{CLASSES[part]}",
            "hanlp_version": version("hanlp"),
        }
        written = json.dumps({**dict(sorted(config.items())), **made_by}, indent=2)
        (folder / "config.json").write_text(written, encoding="utf-8")
        text = json.dumps(self.vocabularies(), ensure_ascii=False, separators=(",", ":"))
        (folder / "vocabs.json").write_text(text + "\n", encoding="utf-8")
        torch.save(self.weights, folder / "model.pt")


class CausalPart(Part):
    """The same of a causal network, in 64 bits."""

    def load(self) -> None:
        """Make the network of the weights."""
        sizes, *shape = self.sizes()
        sizes["labels"] //= DELAY + 1
        self._causal = CausalNetwork(sizes, *shape).double().eval()
        self._causal.load_state_dict(dict(self.weights))
        known = self.start.chars[len(SPECIAL) :], self.start.pairs[len(SPECIAL_PAIRS) :]
        self._alphabet = alphabet_of(*known)

    @torch.no_grad()
    def judged(self, text: str) -> Scores:
        """(n, labels) scores of n > 0 characters, each by the latest place there is, ``DELAY`` on at most."""
        chars, left, _, inside = inputs_of(self._alphabet.encode([text], 1))
        scores = self._causal(chars[0], left[0], inside[0].double()).numpy()
        place = np.minimum(np.arange(len(text)) + DELAY, len(text) - 1)
        judged: Scores = scores[place, place - np.arange(len(text))]
        return judged

    def words(self, texts: Sequence[str]) -> list[Spans]:
        """Spans of the words of each text."""
        return [self._words(text) if text else [] for text in texts]

    def _words(self, text: str) -> Spans:
        scores = self.judged(text)
        begins = (scores[:, 1] > scores[:, 0]).tolist()
        first = [
            not c.isspace() and (not n or text[n - 1].isspace() or begins[n]) for n, c in enumerate(text)
        ]
        ends = [n for n in range(1, len(text) + 1) if n == len(text) or first[n] or text[n].isspace()]
        cuts = sorted({*(n for n, one in enumerate(first) if one), *ends})
        return [(a, b) for a, b in pairwise(cuts) if first[a]]

    def tags(self, texts: Sequence[str], spans: Sequence[Spans]) -> list[list[str]]:
        """Tags of the words of each text, by the sum of scores; a first character has separate ones."""
        tags = []
        for text, words in zip(texts, spans, strict=True):
            first, rest = np.split(self.judged(text), 2, axis=1) if text else (np.zeros(0), np.zeros(0))
            tags.append([self.labels[int((first[a] + rest[a + 1 : b].sum(0)).argmax())] for a, b in words])
        return tags


def save_causal(folder: Path, tok: Part, pos: Part) -> None:
    """Write both networks as one model of stela-causal."""
    own, all_pairs = ([*part.start.pairs[len(SPECIAL_PAIRS) :]] for part in (tok, pos))
    more = [pair for pair in all_pairs if pair not in set(own)]
    pairs = [*own, *more]
    numbers = {pair: number for number, pair in enumerate(all_pairs, 1)}
    known = "".join(pos.start.chars[len(SPECIAL) :])
    if not set(own) <= numbers.keys() or tok.start.chars != pos.start.chars:
        raise ValueError("the tagger is to know all characters and pairs of the tokenizer")
    description = Description(
        characters=known,
        folded="".join(map(folded, known)),
        lengths=[2],
        bits=1,
        labels=pos.labels,
        dilations=pos.shape["dilations"],
        delay=DELAY,
        char_width=pos.shape["char_width"],
        ending_width=pos.shape["pair_width"],
        width=pos.shape["width"],
        kinds=KINDS,
        grams=True,
        pairs="".join(pairs),
        labels_at="all",
        boundaries=Boundaries(width=tok.shape["width"], dilations=tok.shape["dilations"], pairs=len(own)),
    )
    of_pos = [0, *(numbers[pair] for pair in pairs)]
    arrays = {
        **_arrays("boundaries.", tok.weights, list(range(len(own) + 1))),
        **_arrays("", pos.weights, of_pos),
    }
    write_model(folder, description, arrays)


def _arrays(prefix: str, weights: Weights, pairs: list[int]) -> dict[str, Any]:
    """A network's arrays by the library's names, rows of tables in its order."""
    named = {name: tensor.float().numpy() for name, tensor in weights.items()}
    chars = named["chars.weight"]
    arrays = {
        "chars.weight": np.concatenate([chars[ROWS], chars[len(ROWS) :]]),
        "endings.0.weight": named["pairs.weight"][1:][pairs],
    }
    layers = sum(name.endswith(".weight") and name.startswith(("first", "blocks")) for name in named)
    for part in ("weight", "bias"):
        for number in range(layers):
            name = f"blocks.{number - 1}" if number else "first"
            arrays[f"layers.{number}.{part}"] = named[f"{name}.{part}"]
        arrays[f"scores.{part}"] = named[f"labels.{part}"]
    return {f"{prefix}{name}": array for name, array in arrays.items()}
