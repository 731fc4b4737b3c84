"""The metrics ``reference-bleu``, ``reference-chrf`` and ``reference-rouge``: words and characters shared."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import stela_run

import stela_core as stela
from stela_metrics.reference.references import AgainstReferences, Pair, counts_characters

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

ROUGE = ("rouge1", "rouge2", "rougeL")


class Bleu(AgainstReferences[stela.Parameters]):
    """Sentence BLEU, 0 to 100 (Papineni et al., ACL 2002), with sacrebleu's smoothing (``exp``).

    ``bleu:human`` and ``bleu:unmarked``, means over texts with 95 % bootstrap intervals.
    Words are cut by ``13a``; Korean and languages without spaces count single characters.
    """

    name = "reference-bleu"
    library = "sacrebleu"

    def scores(self, pairs: Sequence[Pair], sample: stela_run.Sample) -> Mapping[str, Sequence[float]]:
        """``bleu``."""
        return {"bleu": sentence_scores(self.scorer(sample.language), pairs)}

    def scorer(self, language: str) -> BLEU:
        """BLEU with the language's tokeniser; shorter texts use the n-grams they have."""
        from sacrebleu.metrics.bleu import BLEU

        return BLEU(tokenize="char" if counts_characters(language) else "13a", effective_order=True)


class Chrf(AgainstReferences[stela.Parameters]):
    """Sentence chrF, 0 to 100 (Popović, WMT 2015): F2 of character 1- to 6-grams.

    ``chrf:human`` and ``chrf:unmarked``, means over texts with 95 % bootstrap intervals.
    """

    name = "reference-chrf"
    library = "sacrebleu"

    def scores(self, pairs: Sequence[Pair], sample: stela_run.Sample) -> Mapping[str, Sequence[float]]:
        """``chrf``, the same for every language."""
        from sacrebleu.metrics.chrf import CHRF

        return {"chrf": sentence_scores(CHRF(), pairs)}


class Rouge(AgainstReferences[stela.Parameters]):
    """ROUGE, F1 from 0 to 1 (Lin, 2004): of words, of pairs of words, and of the longest common sequence.

    ``rouge1:human``, ``rouge2:human``, ``rougeL:human``, and as many ``:unmarked``; means over texts with
    95 % bootstrap intervals. A text's score is that of its best reference. Words are runs of letters and
    digits in small letters, without stemming; Korean and languages without spaces count single characters.
    """

    name = "reference-rouge"
    library = "torchmetrics"

    def scores(self, pairs: Sequence[Pair], sample: stela_run.Sample) -> Mapping[str, Sequence[float]]:
        """``rouge1``, ``rouge2`` and ``rougeL``, by torchmetrics."""
        from torchmetrics.functional.text import rouge_score

        pattern = re.compile(r"[^\W_]" if counts_characters(sample.language) else r"[^\W_]+")
        made: dict[str, list[float]] = {name: [] for name in ROUGE}
        for text, references in pairs:
            shared = rouge_score(
                text,
                [list(references)],
                rouge_keys=ROUGE,
                normalizer=str.casefold,
                tokenizer=pattern.findall,
            )
            for name, scores in made.items():
                scores.append(float(shared[f"{name}_fmeasure"]))
        return made


def sentence_scores(scorer: BLEU | CHRF, pairs: Sequence[Pair]) -> list[float]:
    """Sacrebleu's score of each text."""
    return [scorer.sentence_score(text, list(references)).score for text, references in pairs]
