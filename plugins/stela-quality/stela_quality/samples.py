"""The metric ``quality-samples``: does one prompt under one key give text after text, or the same again?"""

from __future__ import annotations

from collections.abc import Sequence

import stela_run
from pydantic import Field
from stela_models.generation.generate import Sampling, generate
from stela_run.intervals import mean_value

import stela_core as stela
from stela_quality.ngrams import distinct, units_of

N = 4
"""Words (characters in Chinese) of the n-grams that are compared."""


class SamplesParameters(stela.Parameters):
    """Parameters of ``quality-samples``."""

    samples: int = Field(20, ge=2, le=200)
    """Texts drawn after each prompt."""

    prompts: int = Field(5, ge=1)
    """Prompts, the first of the marked texts'; fewer where there are fewer."""


class Samples(stela_run.Metric[SamplesParameters]):
    """How unlike texts of one prompt under one key are: a mark that chooses tokens repeats itself.

    Texts of the cell's length are generated anew, ``samples`` after each of ``prompts`` prompts, at the
    experiment's temperature, all under the key of the cell's seed, as a service has one.

    - ``distinct-texts``: how many of them are different texts, a number up to ``samples``.
    - ``repeated-4-grams``: share of their 4-grams that stood before in them, in the same text or in another
      one: 1 - distinct-4 of the prompt's texts together, in [0, 1).

    Means over prompts with 95 % bootstrap intervals. Texts of fewer than 4 units have no 4-grams.
    """

    name = "quality-samples"
    Parameters = SamplesParameters
    attacked = False

    def measure(self, sample: stela_run.Sample) -> Sequence[stela_run.Value]:
        """Both.

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
        numbers = [float(len(set(texts))) for texts in rows]
        repeated = [share for texts in rows if (share := repeated_ngrams(texts, sample.language)) is not None]
        values = [mean_value("distinct-texts", numbers, sample.seed)]
        return [*values, mean_value(f"repeated-{N}-grams", repeated, sample.seed)] if repeated else values

    def _texts_after(self, prompt: str, number: int, sample: stela_run.Sample) -> list[str]:
        count = self.parameters.samples
        # Each prompt's draws are its own: with equal ones its texts would resemble those of the next.
        sampling = Sampling(
            sample.length, sample.length, sample.temperature, seed=sample.seed + count * number
        )
        model = sample.models.load(sample.model)
        batches = generate(sample.watermark, model, [prompt] * count, sampling, count)
        return [one.text for batch in batches for one in batch]


def repeated_ngrams(texts: Sequence[str], language: str) -> float | None:
    """Share of the 4-grams of these texts that stood before in them; ``None`` where there is none."""
    rows = [units for text in texts if len(units := units_of(text, language)) >= N]
    return 1 - distinct(rows, N) if rows else None
