"""Expected z: what the test of a text would give, the mean over keys, had its tokens been drawn by the mark.

A bias b on green logits makes the next token green with probability ``G a / (1 - G + G a)``, where ``a =
exp(b / temperature)`` and G is its probability without a mark (Kirchenbauer et al., ICML 2023, algorithm
2). The mean of that over keys, less gamma, is the rise r; Wouters (ICML 2024) chooses strengths by it. The
test's z is ``sum s (c - gamma) / sqrt(gamma (1 - gamma) sum s**2)`` over distinct pairs of hash context and
token, with colours c and weights s (their equation 3 has equal ones). Weights depend on no key: the mean of
z is this sum with r in place of ``c - gamma``.

**Exact**, but for what :func:`stela_models.green_effects.effects` leaves out: r, where tokens' colours are
independent, as those of the core's hasher are, and the bias depends on no colour. Else (MorphMark) r is a
mean over :data:`KEYS` keys, and its standard error is told.

**Approximate**: the path. The text was written without a mark, and a marked one goes other ways. A pair
that repeats counts once, with the rise of its first place: in marked text, pairs that repeat are green more
often.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
from stela_models.generation.generate import end_ids
from stela_models.green_effects import effects
from stela_models.logits import ModelLogits

from stela_core import GreenList, Watermark
from stela_core.api import Evidence, LanguageModel
from stela_run.cells.outcome import digest_of_prompt
from stela_run.cells.results import ExpectedText
from stela_run.cost.keyed_laws import KeyedLaws
from stela_run.cost.places import Place, keys_for, marked_at

if TYPE_CHECKING:
    import torch

KEYS = 32
"""Keys at each token, where the mean over all is not known."""

Floats = npt.NDArray[np.float64]


class Rises(NamedTuple):
    """What a mark does at scored tokens of a text, (n,) each."""

    green: Floats
    """Rise of the chance of green."""
    surprisal: Floats
    """Rise of -log p, in nats."""
    bias: Floats
    """Bias on green logits, in nats."""
    variance: Floats
    """Variance of ``green`` over the keys that were drawn."""

    @classmethod
    def none_of(cls, count: int) -> Rises:
        """Zeros, to be filled in."""
        return cls(*(np.zeros(count) for _ in cls._fields))

    def put(self, at: slice, other: Rises) -> None:
        """Take those of a part of the text."""
        for mine, theirs in zip(self, other, strict=True):
            mine[at] = theirs


def expected_texts(
    watermark: Watermark,
    evidences: Sequence[Evidence],
    prompts: Sequence[str],
    language_model: LanguageModel,
    temperature: float,
    seed: int,
) -> list[ExpectedText]:
    """What is expected of a mark along texts, each read by the model once.

    Args:
        watermark: a green list; its key does not matter.
        evidences: of each text, as its test weighs it.
        prompts: what each text stands after; empty ones where nothing is known.
        language_model: the one that would write.
        temperature: above 0.
        seed: of the keys, where some are drawn.
    """
    logits = ModelLogits(*language_model)
    rows = [np.asarray(evidence.ids, dtype=np.int64) for evidence in evidences]
    prefixes = logits.prefixes(list(prompts) if all(prompts) else None, len(rows))
    # Before the very first token there is no distribution.
    known = [
        np.flatnonzero(one.positions + len(prefix) > 0)
        for one, prefix in zip(evidences, prefixes, strict=True)
    ]
    places = [one.positions[at] for one, at in zip(evidences, known, strict=True)]
    rises = [Rises.none_of(len(one.positions)) for one in evidences]
    ends = sorted(end_ids(language_model.model))
    for chunk in logits.chunks(rows, places, prefixes):
        before = [rows[chunk.text][:end].tolist() for end in places[chunk.text][chunk.start : chunk.stop]]
        scores = chunk.logits.detach().float().clone()
        scores[:, ends] = float("-inf")
        numbers = known[chunk.text][chunk.start : chunk.stop]
        at = slice(int(numbers[0]), int(numbers[-1]) + 1)
        if _needs_no_key(watermark):
            made = _over_all_keys(watermark, before, scores, temperature)
        else:
            drawn = keys_for(watermark, KEYS, seed, chunk.text)
            each = (Place(chunk.text, ids, row) for ids, row in zip(before, scores, strict=True))
            made = Rises(*np.array([*_over_some(watermark, each, temperature, drawn)]).T)
        rises[chunk.text].put(at, made)
    return [
        _expected(watermark, evidence, prompt, of)
        for evidence, prompt, of in zip(evidences, prompts, rises, strict=True)
    ]


def _needs_no_key(watermark: Watermark) -> bool:
    """Whether colours are independent from token to token, and the bias is the same under all keys."""
    parts = watermark.parts
    return parts.hasher.draws_mix and "green" not in parts.strength.needs


def _over_all_keys(
    watermark: Watermark, before: Sequence[list[int]], scores: torch.Tensor, temperature: float
) -> Rises:
    bias = np.array(watermark.marker().step(before, scores).biases)
    gamma = watermark.parts.hasher.law.share_above
    green, surprisal, _ = effects(scores, temperature, bias[:, None], gamma)[:, :, 0].T
    return Rises(green, surprisal, bias, np.zeros(len(bias)))


def _over_some(
    watermark: Watermark, places: Iterator[Place], temperature: float, keys: Sequence[int]
) -> Iterator[tuple[float, float, float, float]]:
    hasher = watermark.parts.hasher
    assert isinstance(hasher, GreenList), "others are refused"
    for place in places:
        plain = place.logits / temperature
        laws, rises, biases = KeyedLaws(plain, gamma=hasher.gamma), list[float](), list[float]()
        p = plain.softmax(dim=-1)
        for marked in marked_at(watermark, place, temperature, keys):
            assert marked.green is not None, "others are refused"
            laws.add(marked.scores, marked.green)
            # Less what was green before under the same key: its mean is gamma, and it varies with the rise.
            after = marked.scores.softmax(dim=-1) - p
            rises += (after * marked.green).sum(dim=-1).tolist()
            biases += marked.biases
        if not rises:
            yield 0.0, 0.0, 0.0, 0.0
            continue
        spread = float(np.var(rises, ddof=1)) / len(rises)
        yield float(np.mean(rises)), laws.cost().surprisal, float(np.mean(biases)), spread


def _expected(watermark: Watermark, evidence: Evidence, prompt: str, rises: Rises) -> ExpectedText:
    parts, tokens = watermark.parts, max(1, len(evidence.ids))
    gamma = parts.hasher.law.share_above
    weights = parts.scorer.coin_weights(evidence.weights, evidence.groups)
    assert weights is not None, "others are refused"
    first = np.unique(evidence.groups, return_index=True)[1]
    spread = float(np.sqrt(gamma * (1 - gamma) * (weights @ weights)))
    return ExpectedText(
        text=digest_of_prompt(prompt),
        z=float(weights @ rises.green[first]) / spread if spread else 0.0,
        bias=float(rises.bias.sum()) / tokens,
        surprisal=float(rises.surprisal.sum()) / tokens,
        green=gamma + (float(rises.green.mean()) if len(first) else 0.0),
        scored_tokens=len(evidence.positions),
        unique_pairs=len(first),
        error=float(np.sqrt(weights**2 @ rises.variance[first])) / spread if spread else 0.0,
    )
