"""The metric ``reference-mauve``: how far the distribution of marked texts is from that of human ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import stela_run
from pydantic import Field

import stela_core as stela
from stela_core.api import require
from stela_metrics.reference.mauve_score import clusters_of, mauve_of_counts
from stela_metrics.reference.references import PIP

if TYPE_CHECKING:
    from stela_core.api import LanguageModel

LONGEST = 256
"""Tokens of a text that are read."""
RESAMPLES = 200
FEWEST = 20
"""Texts of a kind: two clusters of ten."""


class MauveParameters(stela.Parameters):
    """Parameters of ``reference-mauve``."""

    model: str = Field(min_length=1)
    """The model whose states are compared: alias, folder or hub name. The paper takes GPT-2 large."""


class Mauve(stela_run.Metric[MauveParameters]):
    """MAUVE, 0 to 1 (Pillutla et al., NeurIPS 2021; JMLR 2023): 1 where texts are spread as human ones are.

    ``mauve``: marked against human texts. ``mauve:unmarked``: the model's unmarked ones against them, as a
    baseline. Intervals are 95 % bootstrap over texts, with the clusters as they are.
    """

    name = "reference-mauve"
    Parameters = MauveParameters

    def check(self, preflight: stela_run.Preflight) -> None:
        """Look for the library and the model."""
        require("scikit-learn", f'metric "{self.name}"', PIP)
        preflight.model(self.parameters.model)

    def measure(self, sample: stela_run.Sample) -> Sequence[stela_run.Value]:
        """``mauve``, and ``mauve:unmarked`` where there are unmarked texts.

        Raises:
            StelaError: there are fewer than 20 marked or human texts, or there is no such model.
        """
        human = [one.text for one in sample.human]
        kinds = {
            "": [one.text for one in sample.marked],
            ":unmarked": [one.text for one in sample.model_text],
        }
        if min(len(human), len(kinds[""])) < FEWEST:
            raise stela.StelaError(
                f"MAUVE compares {FEWEST} and more texts of a kind; here are {len(kinds[''])} marked and "
                f"{len(human)} human ones of {sample.length} tokens.",
                "use more texts (its paper has 5,000), or a smaller length",
            )
        model = sample.models.load(self.parameters.model)
        of_human = kept_features(model, tuple(human))
        return [
            value_of(f"mauve{suffix}", kept_features(model, tuple(texts)), of_human, sample.seed)
            for suffix, texts in kinds.items()
            if len(texts) >= FEWEST
        ]


@lru_cache(maxsize=4)
def kept_features(model: LanguageModel, texts: tuple[str, ...]) -> npt.NDArray[np.float64]:
    """:func:`features`; those of human and unmarked texts are asked for again with each mark."""
    return features(model, texts)


def features(model: LanguageModel, texts: Sequence[str]) -> npt.NDArray[np.float64]:
    """The last token's last hidden state of each text, (texts, dimensions); zeros for an empty text."""
    import torch

    network: Any = model.model
    rows = []
    with torch.inference_mode():
        for text in texts:
            ids = model.tokenizer(text, add_special_tokens=False, return_tensors="pt")["input_ids"]
            if not ids.shape[1]:
                rows.append(np.zeros(network.config.hidden_size))
                continue
            states = network(ids[:, :LONGEST].to(network.device), output_hidden_states=True).hidden_states[-1]
            rows.append(states[0, -1].double().cpu().numpy())
    return np.stack(rows)


def value_of(
    name: str, one: npt.NDArray[np.float64], other: npt.NDArray[np.float64], seed: int
) -> stela_run.Value:
    """MAUVE of features (n, d) and (m, d), with its interval."""
    labels, others = clusters_of(one, other, seed)
    k = int(max(labels.max(), others.max())) + 1

    def counted(part: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return np.bincount(part, minlength=k)

    draws = np.random.default_rng(seed)
    made = [
        mauve_of_counts(
            counted(draws.choice(labels, len(labels))), counted(draws.choice(others, len(others)))
        )
        for _ in range(RESAMPLES)
    ]
    low, high = np.quantile(made, [0.025, 0.975]).tolist()
    value = mauve_of_counts(counted(labels), counted(others))
    # Resampled sets are farther from each other than the sets are: MAUVE grows with their size.
    return stela_run.Value(name, value, min(low, value), max(high, value), len(labels))
