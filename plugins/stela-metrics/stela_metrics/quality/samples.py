"""The metric ``quality-samples``: does one prompt under one key give text after text, or the same again?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from itertools import chain
from statistics import fmean

import numpy as np
import stela_run
from pydantic import Field
from stela_models.generation.generate import Generated, Sampling, generate
from stela_run.cells.detecting import Tester
from stela_run.intervals import mean_value
from stela_run.plan.keys import key_of, message_of

import stela_core as stela
from stela_core.api import require
from stela_metrics.quality.ngrams import distinct, ngrams_of, units_of
from stela_metrics.quality.once import marked_once

N = 4
"""Words (characters in Chinese) of the n-grams that are compared."""

ROWS = 40
"""Texts that are generated together, at most, but for those of one prompt."""

LEVEL = 1e-3
"""p-value up to which a text counts as found."""


class SamplesParameters(stela.Parameters):
    """Parameters of ``quality-samples``."""

    samples: int = Field(20, ge=2, le=200)
    """Texts drawn after each prompt."""

    prompts: int = Field(5, ge=1)
    """Prompts, the first of the marked texts'; fewer where there are fewer."""

    keys: int = Field(1, ge=1, le=1 << 16)
    """Keys of which each text is marked under one, drawn for it. Detection then tries all of them."""

    once: bool = False
    """Whether a hash context marks in one of a prompt's texts only, the first, as with an engine that
    remembers a conversation. Detection knows nothing of it."""


class Samples(stela_run.Metric[SamplesParameters]):
    """How unlike texts of one prompt under one key are: a mark that chooses tokens repeats itself.

    Texts of the cell's length are generated anew, ``samples`` after each of ``prompts`` prompts, at the
    experiment's temperature, all under the key of the cell's seed, as a service has one. A profile with bits
    gives each text a message, drawn for it; ``keys`` gives it one of several keys.

    - ``distinct-texts``: how many of them are different texts, a number up to ``samples``.
    - ``repeated-4-grams``: share of their 4-grams that stood before in them, in the same text or in another
      one: 1 - distinct-4 of the prompt's texts together, in [0, 1).
    - ``shared-4-grams``: share of a text's 4-grams that another of the prompt's texts holds, in [0, 1].
    - ``self-bleu``: mean BLEU-4 of each text against the prompt's others (Zhu et al., SIGIR 2018), in [0, 1].
    - ``evidence``: mean -log10 p-value of the texts, each tested for all keys and messages;
      ``found``: share of p-values of at most 0.001. Neither where detection needs the model.

    Means over prompts with 95 % bootstrap intervals. The n-grams leave out texts of fewer than 4 units.
    """

    name = "quality-samples"
    Parameters = SamplesParameters
    attacked = False

    def check(self, preflight: stela_run.Preflight) -> None:
        """Look for NLTK.

        Raises:
            MissingLibraryError: it is not installed.
        """
        require("nltk", f'metric "{self.name}"', '"stela-metrics[quality]"')

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
        count = self.parameters.samples
        written = self._texts_after(prompts, sample)
        texts = [one.text for one in written]
        rows = [texts[start : start + count] for start in range(0, len(texts), count)]
        measures: dict[str, Sequence[float | None]] = {
            "distinct-texts": [float(len(set(texts))) for texts in rows],
            f"repeated-{N}-grams": [repeated_ngrams(texts, sample.language) for texts in rows],
            f"shared-{N}-grams": [shared_ngrams(texts, sample.language) for texts in rows],
            "self-bleu": [self_bleu(texts, sample.language) for texts in rows],
        }
        if not sample.watermark.needs_model_to_detect:
            p_values = self._p_values(written, sample)
            of_rows = [p_values[start : start + count] for start in range(0, len(texts), count)]
            measures["evidence"] = [fmean(-math.log10(p) for p in row) for row in of_rows]
            measures["found"] = [fmean(p <= LEVEL for p in row) for row in of_rows]
        known = {name: [one for one in numbers if one is not None] for name, numbers in measures.items()}
        return [mean_value(name, numbers, sample.seed) for name, numbers in known.items() if numbers]

    def _texts_after(self, prompts: Sequence[str], sample: stela_run.Sample) -> list[Generated]:
        """The texts of each prompt, one prompt's after the other's."""
        count = self.parameters.samples
        sampling = Sampling(sample.length, sample.length, sample.temperature, seed=sample.seed)
        model = sample.models.load(sample.model)
        texts: list[Generated] = []
        together = max(1, ROWS // count)
        for start in range(0, len(prompts), together):
            some = prompts[start : start + together]
            keys, messages = self._drawn_for(some, start, sample)
            rows = [prompt for prompt in some for _ in range(count)]
            once = (
                marked_once(sample.watermark.parts.hasher, count) if self.parameters.once else nullcontext()
            )
            with once:
                batches = generate(
                    sample.watermark, model, rows, sampling, len(rows), keys, start * count, messages
                )
                texts += [one for batch in batches for one in batch]
        return texts

    def _drawn_for(
        self, prompts: Sequence[str], start: int, sample: stela_run.Sample
    ) -> tuple[list[int] | None, list[int] | None]:
        """Key and message of each text of these prompts, the first of which has the number ``start``.

        ``None`` where all have the profile's key, and where marks carry no message.
        """
        keys: list[int] = []
        messages: list[int] = []
        carried = sample.watermark.profile.message
        for number, prompt in enumerate(prompts, start):
            draws = np.random.default_rng([sample.seed, number])
            numbers = draws.integers(self.parameters.keys, size=self.parameters.samples).tolist()
            keys += [key_of(sample.seed, each) for each in numbers]
            own = draws.integers(1 << 32, size=self.parameters.samples).tolist()
            if carried is not None:
                messages += [message_of(each, prompt, carried.bits) for each in own]
        return keys if self.parameters.keys > 1 else None, messages or None

    def _p_values(self, written: Sequence[Generated], sample: stela_run.Sample) -> list[float]:
        """The p-value of each text, times the number of keys that it is tested for."""
        keys = self.parameters.keys
        tested = [key_of(sample.seed, each) for each in range(keys)]
        if keys == 1:
            tested = [sample.watermark.parts.hasher.key]
        tester = Tester(sample.watermark, sample.models.load(sample.model), None, readings=True)
        rows = tester.detect(
            [one.text for one in written], [one.prompt for one in written], [tested] * len(written)
        )
        return [min(1.0, keys * min(each.deciding_p for each in row)) for row in rows]


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
