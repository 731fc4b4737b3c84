"""transformers' Bayesian detector of SynthID-Text, forward only and in numpy.

It models each layer's bit of a marked token given the layers above: the two candidates of a match differ with
probability ``sigmoid(beta + delta @ bits above)``, and then the bit is 1 in 3 cases of 4 (Dathathri et al.
2024, Methods, "Bayesian scoring"). Its output is a posterior probability under a prior, on texts like those
that it was trained on: no p-value, and no bound on false alarms.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

import stela_core as stela
from stela_core.api import parse_json, read_bounded
from stela_synthid.safetensors import HINT, read_tensors

Floats = npt.NDArray[np.float64]
SMALL = 1e-5
"""The prior is kept this far from 0 and 1."""


@dataclass(frozen=True, slots=True)
class BayesianDetector:
    """What was learned of ``depth`` layers."""

    beta: Floats
    """Log odds that two candidates differ, without the layers above, (depth,)."""
    delta: Floats
    """What bit j adds to layer i's log odds, (depth, depth); read only below the diagonal."""
    prior: float
    """Probability that a text is marked."""

    @property
    def depth(self) -> int:
        """Number of layers."""
        return len(self.beta)

    def log_odds(self, bits: npt.NDArray[np.uint8], mask: npt.NDArray[np.bool_]) -> float:
        """The log odds that a text is marked, in nats.

        Args:
            bits: g-values, (n, depth).
            mask: whether a token counts, (n,).
        """
        prior = min(max(self.prior, SMALL), 1 - SMALL)
        one = bits[mask].astype(np.float64)
        differ = _sigmoid(one @ np.tril(self.delta, -1).T + self.beta)
        # 0.5 * ((bit + 0.5) * differ + 1 - differ) for a marked text, 0.5 for any other.
        ratio = (one + 0.5) * differ + (1 - differ)
        return float(np.log(prior) - np.log1p(-prior) + np.log(ratio).sum())

    def posterior(self, bits: npt.NDArray[np.uint8], mask: npt.NDArray[np.bool_]) -> float:
        """P(marked | bits); arguments as for :meth:`log_odds`."""
        return float(_sigmoid(np.array(self.log_odds(bits, mask))))


def read_detector(folder: Path) -> BayesianDetector:
    """What ``BayesianDetectorModel.save_pretrained`` wrote: config.json and model.safetensors.

    Raises:
        stela.StelaError: a file is missing, or none of such a model.
    """
    what = f'detector "{folder}"'
    data = read_bounded(folder / "config.json", 1 << 20, what, HINT)
    config = parse_json(data, what, HINT)
    depth = config.get("watermarking_depth") if isinstance(config, dict) else None
    if not isinstance(depth, int) or isinstance(depth, bool) or not 1 <= depth <= 64:
        raise stela.StelaError(f"{what} has no watermarking_depth from 1 to 64 in its config.json.", HINT)
    tensors = read_tensors(folder / "model.safetensors")
    shapes = {
        "likelihood_model_watermarked.beta": (1, 1, depth),
        "likelihood_model_watermarked.delta": (1, 1, depth, depth),
        "prior": (1,),
    }
    for name, shape in shapes.items():
        if name not in tensors or tensors[name].shape != shape:
            raise stela.StelaError(f'{what} has no tensor "{name}" of shape {list(shape)}.', HINT)
        if not np.isfinite(tensors[name]).all():
            raise stela.StelaError(f'{what}: tensor "{name}" holds what is not a number.', HINT)
    beta, delta, prior = (tensors[name] for name in shapes)
    return BayesianDetector(beta[0, 0], delta[0, 0], float(prior[0]))


def _sigmoid(values: Floats) -> Floats:
    # Of the negative absolute value: no overflow.
    small = np.exp(-np.abs(values))
    return np.where(values >= 0, 1 / (1 + small), small / (1 + small))
