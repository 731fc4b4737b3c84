"""How often a marked text of this length, weights and repeats would be found: an estimate, with no model.

A bias of b nats on the green tokens of a free choice (a model that is sure of nothing) makes the next token
green with probability ``gamma e^b / (1 - gamma + gamma e^b)``. Real text is less free, and a temperature
below 1, which comes after the bias, makes up for it in part. So the probability is taken to be

    gamma + freedom * (gamma e^b / (1 - gamma + gamma e^b) - gamma),

with one freedom for all tokens of a text, which differs from text to text. Its mean and spread are set
between what two models show at temperature 0.7 (docs/detecting.md); a model of lower entropy marks less.

A mark that chooses tokens has no bias: what its signals show in a model's texts is measured as a whole
(:attr:`.SamplingHasher.gains`), and the sum of many is taken to be normal. Of a model that was not measured
nothing is said.

``python -m benchmarks.freedom`` measures freedoms. They differ from model to model more than from scheme to
scheme. A profile does not name its model, but its tokenizer tells: where that is not one of those below, it
is taken to lie between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core import Positions, SamplingHasher, Scorer
from stela_core.api import Composition, Evidence, dot
from stela_detection.power.power import power

Floats = npt.NDArray[np.float64]

NODES, SHARES = np.polynomial.hermite_e.hermegauss(5)
"""Points of a standard normal distribution, and their shares (up to a factor)."""


class Freedom(NamedTuple):
    """Freedom of the texts of a model, or of several."""

    mean: float
    """Mean over texts."""
    spread: float
    """Standard deviation over texts."""


class Freedoms(NamedTuple):
    """Freedoms by what is known of a token."""

    alike: Freedom
    """Freedom where nothing is known: that of the gain of a model that is sure of nothing."""
    by_weights: Freedom
    """Freedom where weights say something (learned tables, a model's gains): that of the gain they say."""
    model: str = ""
    """Name under which a choice of tokens has its :attr:`.SamplingHasher.gains`: model and language."""


ANY = Freedoms(Freedom(0.9, 0.15), Freedom(0.97, 0.15))
"""Freedoms of a model that was not measured: between those below, with the spread of both."""

TINY = "6f197b1da520553a30dd0ef6b153930723b240c1c973d6e17a69446cf35a8e8f"
"""SHA-256 of the tokenizer of the embedded model in a profile."""

GEMMA = "3feec3979045060298b8b97ba30d8f0a98e63c852e95dc44fe34874a2b2aacf2"
"""SHA-256 of the tokenizer of Gemma 3 270M, as ``scripts/real_model.py`` saves it."""

MEASURED: Mapping[tuple[str, str], Freedoms] = {
    (TINY, "en"): Freedoms(Freedom(0.98, 0.06), Freedom(1.05, 0.06), "tiny en"),
    (TINY, "ko"): Freedoms(Freedom(1.02, 0.06), Freedom(0.93, 0.06)),
    (TINY, "zh"): Freedoms(Freedom(1.02, 0.06), ANY.by_weights),
    (GEMMA, "en"): Freedoms(Freedom(0.82, 0.1), Freedom(0.85, 0.1), "gemma-3-270m en"),
}
"""Measured freedoms by tokenizer and language."""


def freedoms_of(tokenizer_sha256: str, language: str | None) -> Freedoms:
    """What is known of the model that a profile was made for, by the profile's fields of these names."""
    return MEASURED.get((tokenizer_sha256, language or ""), ANY)


def expected_power(
    tests: Sequence[Evidence],
    composition: Composition,
    alpha: float,
    made_for: tuple[str, str | None] = ("", None),
) -> float | None:
    """About P(p-value <= alpha) for a text marked at the watermark's strength.

    It rests only on weights and groups, not on the colours of this text.

    Args:
        tests: the text's evidence as the watermark weighs it; then as other tests do that have to agree.
        composition: the watermark.
        alpha: level of the test.
        made_for: the profile's ``tokenizer_sha256`` and ``language``, by which its model is known.

    Returns:
        ``None`` where the strength depends on what only the model knows, or the scorer names no coins; of a
        choice of tokens, where the model was not measured, or weights differ.
    """
    freedoms = freedoms_of(*made_for)
    if isinstance(composition.hasher, SamplingHasher):
        known = composition.hasher.gains.get(freedoms.model)
        return None if known is None else power_of_choice(tests, composition.scorer, alpha, known)
    bias = bias_at_insertion(tests[0], composition)
    if bias is None:
        return None
    gamma, groups = composition.hasher.law.share_above, tests[0].groups
    coins = np.unique(groups, return_inverse=True)[1].reshape(-1)
    repeats = np.bincount(coins)
    gains, from_weights = expected_gains(bias, tests[0], composition)
    freedom = freedoms.by_weights if from_weights else freedoms.alike
    chances = np.array([np.bincount(coins, row) / repeats for row in green_chances(gains, freedom, gamma)])
    reached = []
    for evidence in tests:
        weights = composition.scorer.coin_weights(evidence.weights, groups)
        if weights is None:
            return None
        reached.append(dot(power(weights, chances, gamma, alpha), SHARES) / float(SHARES.sum()))
    return min(reached)


def power_of_choice(
    tests: Sequence[Evidence], scorer: Scorer, alpha: float, gains: tuple[float, float, float, float]
) -> float | None:
    """The same of a mark that chooses tokens, by its :attr:`.SamplingHasher.gains`.

    The threshold of the null is corrected for its skewness (Cornish and Fisher 1938): Exp(1) has much.
    """
    mean, sd, spread, skewness = gains
    normal, reached = NormalDist(), []
    least = -normal.inv_cdf(alpha)
    for evidence in tests:
        weights = scorer.coin_weights(evidence.weights, evidence.groups)
        if weights is None or np.ptp(evidence.weights):  # gains were measured with all tokens weighed alike
            return None
        total, squares = float(weights.sum()), dot(weights, weights)
        if not squares:
            return 0.0
        skewed = skewness * dot(weights**2, weights) / squares**1.5
        threshold = least + skewed * (least * least - 1) / 6
        reach = mean * total / squares**0.5 - threshold
        reached.append(normal.cdf(reach / (sd**2 + spread**2 * total**2 / squares) ** 0.5))
    return min(reached)


def green_chances(gains: Floats, freedom: Freedom, gamma: float) -> Floats:
    """Probability that tokens of marked text are green, (5, n), under five freedoms of the text.

    Args:
        gains: of each token at freedom 1, (n,).
        freedom: of texts.
        gamma: share of green tokens.
    """
    each = np.maximum(0.0, freedom.mean + freedom.spread * NODES)
    return np.clip(gamma + each[:, None] * gains, 0.0, 1.0)


def expected_gains(bias: Floats, evidence: Evidence, composition: Composition) -> tuple[Floats, bool]:
    """Rise of each token's probability of being green at freedom 1, (n,), and whether weights said it.

    Args:
        bias: on green logits at each token, nats, (n,).
        evidence: of the text, as the watermark weighs it.
        composition: the watermark.
    """
    gamma, weighed = composition.hasher.law.share_above, composition.evidence
    if not weighed.reads_whole_text:
        gains = weighed.gains(evidence.weights, bias, gamma)
        if gains is not None:
            return gains, True
    return gains_if_free(bias, gamma), False


def gains_if_free(bias: Floats, gamma: float) -> Floats:
    """The rise where the model is sure of nothing, (n,)."""
    return np.asarray(gamma / (gamma + (1 - gamma) * np.exp(-bias)) - gamma)


def bias_at_insertion(evidence: Evidence, composition: Composition) -> Floats | None:
    """Bias on green logits at each scored token, nats, (n,), where detection can tell."""
    strength, weighed = composition.strength, composition.evidence
    count = len(evidence.positions)
    if not strength.needs:
        weights = strength.weights(Positions(count, gamma=composition.hasher.law.share_above))
    elif (
        type(strength) is type(weighed)
        and strength.parameters == weighed.parameters
        and not weighed.reads_whole_text
    ):
        weights = evidence.weights
    else:
        return None
    return np.asarray(composition.bias_per_weight * weights)
