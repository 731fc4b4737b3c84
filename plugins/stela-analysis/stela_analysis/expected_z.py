"""What z a green list may be expected to leave, with weights and without, from a model's distributions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from stela_models.green_effects import effects
from stela_run.statistics.bootstrap import Floats

from stela_analysis.token_entropies import distributions
from stela_core.api import Evidence, LanguageModel


class ExpectedZ(NamedTuple):
    """Expected z of texts, (texts,) each, for one mean bias over all their tokens."""

    uniform: Floats
    """Equal bias, equal weights: KGW's."""
    detection: Floats
    """Equal bias; the weights count only at detection."""
    both: Floats
    """A bias in proportion to the weights, which count at detection, too: STELA's."""


def expected_z(
    evidences: Sequence[Evidence],
    texts: Sequence[str],
    prompts: Sequence[str] | None,
    language_model: LanguageModel,
    gamma: float,
    delta: float,
    temperature: float,
) -> ExpectedZ:
    """Expected z where each token is drawn by the mark after the text's own beginning.

    A token of weight w adds ``w r`` to the numerator, r the rise of the chance of green over random splits of
    the vocabulary (:func:`stela_models.green_effects.effects`), and ``w^2 gamma (1 - gamma)`` to the
    variance. No text is generated, so schemes differ only by their weights. A pair that repeats counts once.

    Args:
        evidences: evidence of each text; its weights are those that are judged.
        texts: the texts.
        prompts: what each stands after; ``None`` where nothing is known.
        language_model: the model and its tokenizer.
        gamma: share of green tokens.
        delta: mean bias, in nats.
        temperature: at which the model's tokens are drawn.
    """
    scored, chunks = distributions(evidences, texts, prompts, language_model)
    weights = [evidence.weights[at] for evidence, at in zip(evidences, scored, strict=True)]
    mean = float(np.concatenate(weights).mean())
    gains = [np.zeros((2, len(at))) for at in scored]
    for chunk in chunks:
        part = slice(chunk.start, chunk.stop)
        bias = np.stack([np.full(part.stop - part.start, delta), delta * weights[chunk.text][part] / mean])
        gains[chunk.text][:, part] = effects(chunk.logits, temperature, bias.T, gamma)[:, 0].T
    rows = []
    for evidence, at, weight, (plain, weighed) in zip(evidences, scored, weights, gains, strict=True):
        first = np.unique(evidence.groups[at], return_index=True)[1]
        spread = np.sqrt(gamma * (1 - gamma) * (weight[first] ** 2).sum()) or 1.0
        even = np.sqrt(gamma * (1 - gamma) * len(first)) or 1.0
        rows.append(
            (
                plain[first].sum() / even,
                weight[first] @ plain[first] / spread,
                weight[first] @ weighed[first] / spread,
            )
        )
    return ExpectedZ(*np.array(rows).T)
