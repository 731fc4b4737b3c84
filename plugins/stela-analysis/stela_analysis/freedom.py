"""The metric ``analysis-freedom``: does the detection weight follow the model's freedom of choice?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt
import stela_run
from pydantic import Field
from stela_run.statistics.bootstrap import Floats

import stela_core as stela
from stela_analysis.correlation import pearson, spearman
from stela_analysis.resampling import over_texts
from stela_analysis.sentences import sentence_numbers
from stela_analysis.texts import texts_of_kind
from stela_analysis.token_classes import token_starts
from stela_analysis.token_entropies import TokenEntropies, token_entropies
from stela_core.api import Evidence


class FreedomParameters(stela.Parameters):
    """The texts and the entropy that freedom is measured by, and what a sentence is."""

    texts: Literal["human", "marked", "model"] = "human"
    """Human text, the marked texts, or the model's own without a mark."""

    model: str | None = None
    """Reference model; by default the one that wrote the texts."""

    modulus: float = Field(0.7616, gt=0)
    """Modulus of the spike entropy; by default that of a mark with delta 2 and gamma 1/2, tanh(1)
    (Kirchenbauer et al., ICML 2023, theorem 4.2)."""

    sentence_tokens: int = Field(5, ge=1)
    """Scored tokens that a sentence needs: means over fewer are mostly noise."""


class Freedom(stela_run.Metric[FreedomParameters]):
    """Correlate detection weights with a reference model's token entropy.

    ``freedom-U-E-C``: U is ``token`` or ``sentence`` (means over its scored tokens, as in the paper's
    figure), E ``shannon`` or ``spike`` entropy at temperature 1, C ``pearson`` or ``spearman``; of generated
    texts ``freedom-marked-U-E-C`` and ``freedom-model-U-E-C``. Weights are those of the texts' own
    detections. In human text and in the model's own no mark is in the way.
    """

    name = "analysis-freedom"
    attacked = False

    def check(self, preflight: stela_run.Preflight) -> None:
        """Look for the model whose distributions are taken."""
        if self.parameters.model is not None:
            preflight.model(self.parameters.model)

    def measure(self, sample: stela_run.Sample) -> Sequence[stela_run.Value]:
        """Eight correlations with bootstrap intervals over texts; ``n`` counts texts. Those by sentence
        are left out where there are fewer than three sentences.

        Raises:
            StelaError: there is no such text, all weights are equal, the model cannot be loaded, or its
                tokens and the texts' never begin together.
        """
        kind = self.parameters.texts
        rows = texts_of_kind(sample, kind)
        evidences = [row.evidence for row in rows]
        weights = np.concatenate([evidence.weights for evidence in evidences]) if evidences else np.zeros(0)
        if not len(weights):
            what = "text of the model" if kind == "model" else f"{kind} text"
            raise stela.StelaError(f"no {what} has a scored token.", "give texts that are longer")
        if np.ptp(weights) == 0:
            raise stela.StelaError(
                f'scheme "{sample.watermark.profile.scheme.name}" weighs all tokens alike: '
                "nothing can be correlated.",
                "measure analysis-freedom with a scheme that weighs tokens, such as stela",
            )
        prompts = [row.prompt for row in rows]
        entropy = token_entropies(
            evidences,
            [row.text for row in rows],
            prompts if all(prompts) else None,
            sample.models.load(self.parameters.model or sample.model),
            self.parameters.modulus,
        )
        if sum(len(one.scored) for one in entropy) < 3:
            raise stela.StelaError(
                f'no token of model "{self.parameters.model}" begins where one of the texts does.',
                "name a model whose tokenizer keeps the bytes of a text",
            )
        prefix = "freedom" if kind == "human" else f"freedom-{kind}"
        return list(_values(prefix, evidences, entropy, self.parameters.sentence_tokens, sample.seed))


def _values(
    prefix: str, evidences: Sequence[Evidence], entropy: Sequence[TokenEntropies], fewest: int, seed: int
) -> Iterator[stela_run.Value]:
    texts = len(evidences)
    weights = [evidence.weights[one.scored] for evidence, one in zip(evidences, entropy, strict=True)]
    text = np.repeat(np.arange(texts), [len(one) for one in weights])
    x = np.concatenate(weights)
    numbers = np.concatenate([_sentences(*pair) for pair in zip(evidences, entropy, strict=True)])
    for name in ("shannon", "spike"):
        y = np.concatenate([getattr(one, name) for one in entropy])
        yield from _correlations(f"{prefix}-token-{name}", x, y, text, texts, seed)
        means = sentence_means(x, y, text, numbers, fewest)
        if len(means[0]) >= 3:
            yield from _correlations(f"{prefix}-sentence-{name}", *means, texts, seed)


def _correlations(
    prefix: str, x: Floats, y: Floats, text: npt.NDArray[np.intp], texts: int, seed: int
) -> Iterator[stela_run.Value]:
    yield over_texts(f"{prefix}-pearson", pearson(x, y, text), texts, seed)
    yield over_texts(f"{prefix}-spearman", spearman(x, y, text), texts, seed)


def _sentences(evidence: Evidence, entropy: TokenEntropies) -> npt.NDArray[np.intp]:
    """Sentence numbers of the tokens that have an entropy, within their text."""
    numbers = np.array(sentence_numbers(*token_starts(evidence.ids, evidence.token_bytes)), dtype=np.intp)
    at: npt.NDArray[np.intp] = numbers[evidence.positions[entropy.scored]]
    return at


def sentence_means(
    x: Floats, y: Floats, text: npt.NDArray[np.intp], sentence: npt.NDArray[np.intp], fewest: int
) -> tuple[Floats, Floats, npt.NDArray[np.intp]]:
    """Means of x and y over the sentences with at least ``fewest`` points, and the text of each.

    Args:
        x: of n points, (n,).
        y: of n points, (n,).
        text: number of each point's text, (n,).
        sentence: number of its sentence within the text, (n,).
        fewest: points.
    """
    both = np.stack([text, sentence])
    named, number = np.unique(both, axis=1, return_inverse=True)
    number = number.reshape(-1)
    counts = np.bincount(number)
    kept = counts >= fewest
    mean_x, mean_y = (np.bincount(number, weights=values) / counts for values in (x, y))
    return mean_x[kept], mean_y[kept], named[0][kept]
