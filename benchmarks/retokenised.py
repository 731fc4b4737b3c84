"""Generated ids that the text, cut again, does not hold: before and after ``round_trip``, and its cost."""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from stela_models.generation.generate import Sampling, generate
from stela_models.load import load_model
from tokenizers import Tokenizer

import stela_core as stela
from benchmarks.gpt2_tokenizer import gpt2_tokenizer
from benchmarks.pair_model import PairModel
from benchmarks.texts import PROMPTS, Texts, registry
from benchmarks.tokenisations import both, readings
from stela_core.insertion.round_trip import RoundTrip
from stela_core.interfaces.logits import LanguageModel
from stela_core.profile.create import create_profile
from stela_core.profile.settings import Settings
from stela_core.text.bpe_pairs import Merges, merges_of
from stela_core.text.tokenizer import backend_of

LENGTHS = (25, 50, 100, 200)
DELTAS = (1.0, 2.0)
TEXTS = 16
PAIR_TEXTS = 8
TEMPERATURE = 1.0
HUMAN = 1_000_000
"""Characters of human text that the model of pairs is made of."""
Write = Callable[[stela.Watermark, bool], list[list[int]]]
"""Texts as rows of ids, from a watermark and whether its ids have to come back."""

FIRST = {"en": "The history of the city", **PROMPTS}


@dataclass
class Costs:
    """Of the mask, over the steps of a run."""

    seconds: list[float] = field(default_factory=list)
    removed: list[float] = field(default_factory=list)
    """Probability taken away at temperature 1."""


class Watched(RoundTrip):
    """A mask that keeps its costs (CPU time of this thread: other work does not count)."""

    costs: Costs

    def allowed(self, ids: Sequence[int], scores: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """As the mask says."""
        began = time.thread_time()
        allowed = super().allowed(ids, scores)
        self.costs.seconds.append(time.thread_time() - began)
        probability = np.exp(scores.astype(np.float64) - scores.max())
        self.costs.removed.append(float(probability[~allowed].sum() / probability.sum()))
        return allowed


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print shares, z and p before and after by model, language and delta, then other tokenisations."""
    for name in ("tiny", *([args.model] if args.model else [])):
        model = load_model(registry(), name)
        tokenizer = backend_of(model.tokenizer)
        label = "tiny" if name == "tiny" else Path(name).name
        for language in args.languages.split(","):
            compare(label, language, tokenizer, partial(by_model, model=model, language=language))
    if texts.data is None:
        return
    for name, tokenizer in others(texts.data):
        for language in args.languages.split(","):
            human = "\n".join(texts.some(language, HUMAN)).split("\n")
            rows = [e.ids for e in tokenizer.encode_batch_fast(human, add_special_tokens=False) if e.ids]
            pairs = PairModel(rows, tokenizer.get_vocab_size())
            compare(name, language, tokenizer, partial(by_pairs, pairs=pairs))


def others(folder: Path) -> Iterator[tuple[str, Tokenizer]]:
    """Tokenizers of the data, without models."""
    where = folder / "tokenizers"
    if (where / "20B_tokenizer.json").is_file():
        yield "20B, model of pairs", Tokenizer.from_file(str(where / "20B_tokenizer.json"))
    if (where / "gpt2.tiktoken").is_file():
        yield "gpt2, model of pairs", gpt2_tokenizer(where / "gpt2.tiktoken")


def compare(name: str, language: str, tokenizer: Tokenizer, write: Write) -> None:
    """Print the rows of one model and language."""
    merges = merges_of(tokenizer)
    for delta in DELTAS:
        created = create_profile(registry(), Settings("kgw", {"delta": delta}), tokenizer, 2026, public=True)
        mark = stela.Watermark(created.archive, None, registry())
        watched = Watched(tokenizer, mark.tokens)
        mark.__dict__["_round_trip"] = watched
        for trip in (False, True):
            watched.costs = Costs()
            rows = write(mark, trip)
            print(f"{name}, {language}, delta {delta:g}, {'round trip' if trip else 'as it is'}:", end=" ")
            report(mark, rows)
            if trip:
                seconds, removed = watched.costs.seconds, watched.costs.removed
                print(
                    f"    mask: {1e3 * statistics.mean(seconds):.2f} ms of CPU a row and step, "
                    f"removes {statistics.mean(removed):.4f} (median {statistics.median(removed):.4f})"
                )
            elif merges is not None and delta == max(DELTAS):
                alternatives(mark, rows, tokenizer, merges)


def report(mark: stela.Watermark, rows: list[list[int]]) -> None:
    """Share of ids lost, and mean z and median -log10 p of ids and of text by length."""
    lost = [1 - kept(row, mark.detector.ids_of([mark.tokens.decode(row)])[0]) for row in rows]
    print(f"lost {np.mean(lost):.4f} in {sum(one > 0 for one in lost)} of {len(rows)} texts")
    for length in LENGTHS:
        cut = [row[:length] for row in rows if len(row) >= length]
        if not cut:
            continue
        ids, text = mark.detect_ids(cut), mark.detect_many([mark.tokens.decode(row) for row in cut])
        cells = [
            f"z {np.mean([d.z for d in one]):5.2f}, -log10 p {strength(one):5.2f}" for one in (ids, text)
        ]
        print(f"    {length:3} tokens: ids {cells[0]}; text {cells[1]}")


def alternatives(mark: stela.Watermark, rows: list[list[int]], tokenizer: Tokenizer, merges: Merges) -> None:
    """What other tokenisations of the text give: alone, the better of two (p doubled), both in one test."""
    cut = [readings(mark.tokens.decode(row[:100]), tokenizer, merges) for row in rows]
    own = mark.detect_ids([one["own"] for one in cut])
    for name in list(cut[0])[1:]:
        alone = mark.detect_ids([one[name] for one in cut])
        joint = mark.detect_ids([both(one["own"], one[name], len(mark.tokens)) for one in cut])
        best = statistics.median(
            -np.log10(min(1.0, 2 * min(a.p_value, b.p_value))) for a, b in zip(own, alone, strict=True)
        )
        print(
            f"    100 tokens, {name}: -log10 p {strength(alone):.2f} alone, {best:.2f} the better of two, "
            f"{strength(joint):.2f} both in one (own {strength(own):.2f})"
        )


def kept(row: Sequence[int], again: Sequence[int]) -> float:
    """Share of ids that are in both, in order."""
    blocks = SequenceMatcher(None, row, again, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / max(1, len(row))


def strength(detections: Sequence[stela.Detection]) -> float:
    """Median -log10 p."""
    return statistics.median(-math.log10(max(d.p_value, 1e-300)) for d in detections)


def by_model(mark: stela.Watermark, trip: bool, model: LanguageModel, language: str) -> list[list[int]]:
    """Texts of a model at temperature 1."""
    sampling = Sampling(max(LENGTHS), temperature=TEMPERATURE, round_trip=trip)
    batches = generate(mark, model, [FIRST[language]] * TEXTS, sampling, TEXTS)
    return [text.token_ids for batch in batches for text in batch if text.token_ids]


def by_pairs(mark: stela.Watermark, trip: bool, pairs: PairModel) -> list[list[int]]:
    """Texts of a model of pairs at temperature 1, by the Gumbel-max trick."""
    marker = mark.marker(round_trip=trip)
    rng = np.random.default_rng(0)
    rows: list[list[int]] = [[] for _ in range(PAIR_TEXTS)]
    for _ in range(max(LENGTHS)):
        logits = marker(rows, np.stack([pairs.logits(row) for row in rows]))
        drawn = (logits + rng.gumbel(size=logits.shape)).argmax(1)
        for row, token in zip(rows, drawn.tolist(), strict=True):
            row.append(token)
    return rows
