"""What z a green list may be expected to leave, with weights and without, from a model's distributions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
from stela_run.statistics.bootstrap import Floats

from stela_analysis.token_entropies import distributions
from stela_core.api import Evidence, LanguageModel

if TYPE_CHECKING:
    import torch


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
    splits: int,
    seed: int,
) -> ExpectedZ:
    """Expected z where each token is drawn by the mark after the text's own beginning.

    A token of weight w adds ``w E[G a / (1 - G + G a) - G]`` to the numerator, G the green probability of a
    random split and ``a = exp(bias / temperature)``, and ``w^2 gamma (1 - gamma)`` to the variance. No text
    is generated, so schemes differ only by their weights. A pair that repeats counts once.

    Args:
        evidences: evidence of each text; its weights are those that are judged.
        texts: the texts.
        prompts: what each stands after; ``None`` where nothing is known.
        language_model: the model and its tokenizer.
        gamma: share of green tokens.
        delta: mean bias, in nats.
        temperature: at which the model's tokens are drawn.
        splits: random splits of the vocabulary, the same ones at all tokens.
        seed: of the splits.
    """
    scored, chunks = distributions(evidences, texts, prompts, language_model)
    weights = [evidence.weights[at] for evidence, at in zip(evidences, scored, strict=True)]
    mean = float(np.concatenate(weights).mean())
    gains = [np.zeros((2, len(at))) for at in scored]
    green: torch.Tensor | None = None
    for chunk in chunks:
        part = slice(chunk.start, chunk.stop)
        if green is None:
            green = _splits(chunk.logits.shape[-1], gamma, splits, seed)
        bias = np.stack([np.full(part.stop - part.start, delta), delta * weights[chunk.text][part] / mean])
        gains[chunk.text][:, part] = mean_rises(chunk.logits, green, bias, temperature)
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


def mean_rises(
    logits: torch.Tensor, green: torch.Tensor, bias: npt.NDArray[np.float64], temperature: float
) -> npt.NDArray[np.float64]:
    """Mean rise over splits of the green tokens' probability by a bias on them.

    Args:
        logits: (n, V).
        green: splits, (V, splits), 1 where a token is green.
        bias: (..., n), in nats before the temperature.
        temperature: at which tokens are drawn.

    Returns:
        As many as ``bias`` has.
    """
    import torch

    mass = torch.softmax(logits.float() / temperature, dim=-1) @ green.to(logits.device)
    before = mass.double().clamp(0, 1).cpu().numpy()
    factor = np.exp(bias / temperature)[..., None]
    rise: npt.NDArray[np.float64] = (before * factor / (1 - before + before * factor) - before).mean(axis=-1)
    return rise


def _splits(vocabulary: int, gamma: float, splits: int, seed: int) -> torch.Tensor:
    import torch

    drawn = np.random.default_rng(seed).random((vocabulary, splits), dtype=np.float32) < gamma
    return torch.from_numpy(drawn.astype(np.float32))
