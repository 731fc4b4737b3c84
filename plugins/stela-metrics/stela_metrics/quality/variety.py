"""The metrics ``quality-diversity`` and ``quality-repetition``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import stela_run
from stela_run.intervals import mean_value

import stela_core as stela
from stela_metrics.quality.ngrams import SIZES, distinct, diversity, log_diversity, repetition, units_of
from stela_metrics.quality.pairs import marked_of, others_of


def _texts(sample: stela_run.Sample) -> Iterator[tuple[str, list[list[str]]]]:
    """Suffix of the values' names and the units of each text, by kind; texts of under 4 units left out.

    Raises:
        StelaError: no marked text is left.
    """
    for kind, pairs in {"": marked_of(sample), **others_of(sample)}.items():
        rows = [units_of(pair.text, sample.language) for pair in pairs]
        rows = [row for row in rows if len(row) >= max(SIZES)]
        if rows:
            yield (f":{kind}" if kind else ""), rows
        elif not kind:
            raise stela.StelaError(
                f"no marked text has {max(SIZES)} words (characters in Chinese).", "use a larger length"
            )


class Diversity(stela_run.Metric):
    """How varied each text is in itself.

    - ``diversity``: product over n = 2, 3, 4 of the share of n-grams that are distinct
      (Su et al., NeurIPS 2022).
    - ``log-diversity``: ``-log(1 - diversity)`` (Kirchenbauer et al., ICLR 2024), which spreads out the
      end where little repeats. A text that repeats nothing has 20, as in their code. Most short texts
      repeat nothing, so read ``diversity`` below about 100 words.

    Means over texts with 95 % bootstrap intervals; ``:unmarked`` and ``:human`` for the others.
    """

    name = "quality-diversity"

    def measure(self, sample: stela_run.Sample) -> Sequence[stela_run.Value]:
        """Diversity and its logarithm, for each kind of text.

        Raises:
            StelaError: no marked text is long enough.
        """
        values: list[stela_run.Value] = []
        for suffix, rows in _texts(sample):
            values.append(mean_value(f"diversity{suffix}", [diversity(row) for row in rows], sample.seed))
            logs = [log_diversity(row) for row in rows]
            values.append(mean_value(f"log-diversity{suffix}", logs, sample.seed))
        return values


class Repetition(stela_run.Metric):
    """How much texts repeat themselves and each other.

    - ``seq-rep-2`` to ``seq-rep-4``: share of a text's n-grams that are repeats (Welleck et al., ICLR
      2020), meaned over texts, with 95 % bootstrap intervals.
    - ``distinct-1`` to ``distinct-3``: distinct n-grams over n-grams of all texts together (Li et al.,
      NAACL 2016). No interval: texts drawn twice would repeat each other.

    ``:unmarked`` and ``:human`` for the others.
    """

    name = "quality-repetition"

    def measure(self, sample: stela_run.Sample) -> Sequence[stela_run.Value]:
        """All, for each kind of text.

        Raises:
            StelaError: no marked text is long enough.
        """
        values: list[stela_run.Value] = []
        for suffix, rows in _texts(sample):
            for n in SIZES:
                shares = [repetition(row, n) for row in rows]
                values.append(mean_value(f"seq-rep-{n}{suffix}", shares, sample.seed))
            values += [
                stela_run.Value(f"distinct-{n}{suffix}", distinct(rows, n), n=len(rows)) for n in (1, 2, 3)
            ]
        return values
