"""The share of the way from uniform weights to EWD, by the colours drawn and by those expected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, sqrt

import numpy as np
import numpy.typing as npt
from stela_ewd import Ewd, EwdParameters
from stela_run.cells.marks import with_key

from benchmarks.reach.marked import Floats, Marked
from benchmarks.repeats_texts import mark_of
from scripts.results.intervals import Estimate, Paired, share_of_the_way
from stela_core.statistics.grouping import group_weights
from stela_core.statistics.repeats import Repeats
from stela_core.statistics.zscore import z_score
from stela_core.text.prefix import prefix_ends

GAMMA = 0.5
REPEATS: Repeats = "fourth-root"
"""New profiles' rule: a repeated pair is one coin."""


@dataclass(frozen=True)
class Scored:
    """What is weighed of one text, over its m scored tokens."""

    marked: Marked
    text: str
    ends: Sequence[int]
    """Length of the text before each of its n tokens, in characters."""
    positions: npt.NDArray[np.intp]
    green: npt.NDArray[np.bool_]
    groups: npt.NDArray[np.int64]

    @property
    def before(self) -> list[str]:
        """The text before each scored token."""
        return [self.text[: self.ends[at]] for at in self.positions]


Weigh = Callable[[Scored], Floats]
"""From a text to the weights of its scored tokens, (m,)."""


def scored(texts: Sequence[Marked], model: str) -> list[Scored]:
    """Colours and groups of texts under their keys."""
    mark = mark_of("kgw", texts[0].language, texts[0].delta, model)
    rows = []
    for one, evidence in zip(texts, mark.detector.evidence([text.ids for text in texts]), strict=True):
        own = mark.detector.with_composition(with_key(mark.parts, one.key)).recoloured(evidence)
        text, ends = prefix_ends(one.ids, own.token_bytes)
        rows.append(Scored(one, text, ends, own.positions, own.green, own.groups))
    return rows


def gain_of_collision(collision: Floats, strength: float) -> Floats:
    """Expected rise of the green tokens' probability, one token having ``sqrt(collision)`` and others little.

    Args:
        collision: ``sum p^2`` at the temperature of the draws, (n,).
        strength: delta over the temperature.

    Returns:
        (n,), in [0, 1/2): ``E[G a / (1 - G + G a)] - 1/2``, ``a = exp(strength)``, over the token's two
        colours, half of the rest being green (docs/weights.md; gamma is 1/2).
    """
    factor, top = exp(strength), np.sqrt(collision)
    raised = [g * factor / (1 - g + g * factor) for g in ((1 + top) / 2, (1 - top) / 2)]
    return np.asarray((raised[0] + raised[1]) / 2 - GAMMA)


def uniform(one: Scored) -> Floats:
    """Every token alike."""
    return np.ones(len(one.positions))


def ewd(one: Scored) -> Floats:
    """EWD's weights, read off the writer's logits."""
    weighting = Ewd(EwdParameters(delta=one.marked.delta))
    return weighting.over_text(one.marked.spikes[one.positions])


def z_of(one: Scored, weights: Floats) -> tuple[float, float]:
    """A text's z, and what it is to be expected to be over keys and draws.

    A pair that is repeated shows its colour once, and is chosen where the mark could do most: its gain
    is the largest of its tokens'.
    """
    colours, stakes = group_weights(one.green, weights, one.groups, REPEATS)
    gains = np.zeros(int(one.groups.max()) + 1)
    strength = one.marked.delta / one.marked.temperature
    np.maximum.at(gains, one.groups, gain_of_collision(one.marked.collisions[one.positions], strength))
    gains = gains[np.bincount(one.groups) > 0]
    norm = sqrt(GAMMA * (1 - GAMMA) * float(stakes @ stakes))
    return z_score(colours, stakes, GAMMA), float(gains @ stakes) / norm if norm else 0.0


def shares(texts: Sequence[Scored], weigh: Weigh) -> tuple[float, Estimate, Estimate]:
    """Mean z, and the share of the way by drawn colours and by expected ones, bootstrapped over prompts."""
    values = np.array([[z_of(one, of(one)) for one in texts] for of in (weigh, uniform, ewd)])
    prompts = [one.marked.prompt for one in texts]
    drawn, expected = (share_of_the_way(Paired(prompts, values[:, :, kind])) for kind in (0, 1))
    return float(values[0, :, 0].mean()), drawn, expected
