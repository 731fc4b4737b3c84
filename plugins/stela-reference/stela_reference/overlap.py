"""The metrics ``reference-bleu`` and ``reference-chrf``."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

import stela_run
from stela_run.intervals import mean_value

import stela_core as stela

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

BY_CHARACTER = frozenset({"zh", "yue", "wuu", "ja", "ko", "th", "lo", "km", "my"})
"""Languages that write no spaces between words, and Korean, whose words take many endings."""


class _Overlap(stela_run.Metric):
    """A score of each marked text against the reference texts after its prompt."""

    @abstractmethod
    def scorer(self, language: str) -> BLEU | CHRF:
        """Sacrebleu's metric for texts of a language (ISO 639 code)."""

    def measure(self, sample: stela_run.Sample) -> Sequence[stela_run.Value]:
        """The mean for each kind of reference; kinds without any are left out.

        Raises:
            StelaError: there is no marked text, or none has a reference.
        """
        if not sample.marked:
            raise stela.StelaError(
                f"no marked text has {sample.length} tokens.", "use more texts, or a smaller length"
            )
        scorer = self.scorer(sample.language)
        label = self.name.removeprefix("reference-")
        values = []
        for kind, texts in {"human": sample.human, "unmarked": sample.model_text}.items():
            references: dict[str, list[str]] = {}
            for one in texts:
                if one.prompt:  # human text without a prompt continues nothing
                    references.setdefault(one.prompt, []).append(one.text)
            scores = [
                scorer.sentence_score(one.text, references[one.generated.prompt]).score
                for one in sample.marked
                if one.generated.prompt in references
            ]
            if scores:
                values.append(mean_value(f"{label}:{kind}", scores, sample.seed))
        if not values:
            raise stela.StelaError(
                "no marked text has a reference text after its prompt.", "use more texts, or a smaller length"
            )
        return values


class Bleu(_Overlap):
    """Sentence BLEU, 0 to 100 (Papineni et al., ACL 2002), with sacrebleu's smoothing (``exp``).

    ``bleu:human`` and ``bleu:unmarked``, means over texts with 95 % bootstrap intervals.
    Words are cut by ``13a``; Korean and languages without spaces count single characters.
    """

    name = "reference-bleu"

    def scorer(self, language: str) -> BLEU:
        """BLEU with the language's tokeniser; shorter texts use the n-grams they have."""
        from sacrebleu.metrics.bleu import BLEU

        code = language.replace("_", "-").split("-")[0].lower()
        return BLEU(tokenize="char" if code in BY_CHARACTER else "13a", effective_order=True)


class Chrf(_Overlap):
    """Sentence chrF, 0 to 100 (Popović, WMT 2015): F2 of character 1- to 6-grams.

    ``chrf:human`` and ``chrf:unmarked``, means over texts with 95 % bootstrap intervals.
    """

    name = "reference-chrf"

    def scorer(self, language: str) -> CHRF:
        """The same for every language."""
        from sacrebleu.metrics.chrf import CHRF

        return CHRF()
