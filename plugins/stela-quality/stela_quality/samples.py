"""The metric ``quality-samples``: does one prompt under one key give text after text, or the same again?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from statistics import fmean

import numpy as np
import stela_run
from pydantic import Field
from stela_models.generation.generate import Sampling, generate
from stela_run.intervals import mean_value
from stela_run.plan.keys import key_of, message_of

import stela_core as stela
from stela_quality.ngrams import distinct, ngrams_of, units_of

N = 4
"""Words (characters in Chinese) of the n-grams that are compared."""


class SamplesParameters(stela.Parameters):
    """Parameters of ``quality-samples``."""

    samples: int = Field(20, ge=2, le=200)
    """Texts drawn after each prompt."""

    prompts: int = Field(5, ge=1)
    """Prompts, the first of the marked texts'; fewer where there are fewer."""

    keys: int = Field(1, ge=1, le=1 << 16)
    """Keys of which each text is marked under one, drawn for it. Detection then tries all of them."""


class Samples(stela_run.Metric[SamplesParameters]):
    """How unlike texts of one prompt under one key are: a mark that chooses tokens repeats itself.

    Texts of the cell's length are generated anew, ``samples`` after each of ``prompts`` prompts, at the
    experiment's temperature, all under the key of the cell's seed, as a service has one. A profile with bits
    gives each text a message of its own, drawn for it; ``keys`` gives it one of several keys.

    - ``distinct-texts``: how many of them are different texts, a number up to ``samples``.
    - ``repeated-4-grams``: share of their 4-grams that stood before in them, in the same text or in another
      one: 1 - distinct-4 of the prompt's texts together, in [0, 1).
    - ``shared-4-grams``: share of a text's 4-grams that another of the prompt's texts holds, in [0, 1].
    - ``self-bleu``: mean BLEU-4 of each text against the prompt's others (Zhu et al., SIGIR 2018), in [0, 1].

    Means over prompts with 95 % bootstrap intervals. The last three leave out texts of fewer than 4 units.
    """

    name = "quality-samples"
    Parameters = SamplesParameters
    attacked = False

    def measure(self, sample: stela_run.Sample) -> Sequence[stela_run.Value]:
        """All; of texts that are too short only the first.

        Raises:
            StelaError: there is no marked text, or the model cannot be loaded.
        """
        prompts = list(dict.fromkeys(one.generated.prompt for one in sample.marked))[
            : self.parameters.prompts
        ]
        if not prompts:
            raise stela.StelaError(
                f"no marked text has {sample.length} tokens.", "use more texts, or a smaller length"
            )
        rows = [self._texts_after(prompt, number, sample) for number, prompt in enumerate(prompts)]
        measures: dict[str, Sequence[float | None]] = {
            "distinct-texts": [float(len(set(texts))) for texts in rows],
            f"repeated-{N}-grams": [repeated_ngrams(texts, sample.language) for texts in rows],
            f"shared-{N}-grams": [shared_ngrams(texts, sample.language) for texts in rows],
            "self-bleu": [self_bleu(texts, sample.language) for texts in rows],
        }
        known = {name: [one for one in numbers if one is not None] for name, numbers in measures.items()}
        return [mean_value(name, numbers, sample.seed) for name, numbers in known.items() if numbers]

    def _texts_after(self, prompt: str, number: int, sample: stela_run.Sample) -> list[str]:
        count = self.parameters.samples
        # Each prompt's draws are its own: with equal ones its texts would resemble those of the next.
        sampling = Sampling(
            sample.length, sample.length, sample.temperature, seed=sample.seed + count * number
        )
        model = sample.models.load(sample.model)
        draws = np.random.default_rng([sample.seed, number])
        numbers = draws.integers(self.parameters.keys, size=count).tolist()
        keys = [key_of(sample.seed, each) for each in numbers] if self.parameters.keys > 1 else None
        carried = sample.watermark.profile.message
        own = draws.integers(1 << 32, size=count).tolist()
        messages = None if carried is None else [message_of(each, prompt, carried.bits) for each in own]
        batches = generate(
            sample.watermark, model, [prompt] * count, sampling, count, keys, messages=messages
        )
        return [one.text for batch in batches for one in batch]


def repeated_ngrams(texts: Sequence[str], language: str) -> float | None:
    """Share of the 4-grams of these texts that stood before in them; ``None`` where there is none."""
    rows = [units for text in texts if len(units := units_of(text, language)) >= N]
    return 1 - distinct(rows, N) if rows else None


def shared_ngrams(texts: Sequence[str], language: str) -> float | None:
    """Mean share of a text's 4-grams that another of these texts holds; ``None`` of fewer than two."""
    rows = [ngrams_of(units_of(text, language), N) for text in texts]
    rows = [row for row in rows if row]
    if len(rows) < 2:
        return None
    holders = Counter(chain.from_iterable(set(row) for row in rows))
    return fmean(fmean(holders[gram] > 1 for gram in row) for row in rows)


def self_bleu(texts: Sequence[str], language: str) -> float | None:
    """Mean BLEU-4 of each text with the others as its references, in [0, 1]; ``None`` of fewer than two.

    Texygen's (Zhu et al., SIGIR 2018): a count of 0 is smoothed to 0.1 (method 1 of Chen and Cherry, 2014).
    """
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    rows = [units for text in texts if len(units := units_of(text, language)) >= N]
    if len(rows) < 2:
        return None
    smoothing = SmoothingFunction().method1
    scores = [
        sentence_bleu(rows[:number] + rows[number + 1 :], row, smoothing_function=smoothing)
        for number, row in enumerate(rows)
    ]
    return float(fmean(scores))
