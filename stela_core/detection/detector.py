"""Detector: texts to detections, the taggers called once for all texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from stela_core.catalogue import lent
from stela_core.composition import Composition, checked_over_text
from stela_core.detection.batch import Batch
from stela_core.detection.evidence import Evidence, collect_evidence
from stela_core.detection.preceding import (
    PreparedTexts,
    RawWeights,
    each_once,
    pos_contexts,
    scored_positions,
    weigh,
)
from stela_core.detection.readings import shares, with_offsets
from stela_core.detection.result import Detection, best_reading
from stela_core.detection.verdict import correct, verdict_of
from stela_core.interfaces import Weighting
from stela_core.interfaces.hasher import after_prompt
from stela_core.interfaces.logits import Ids, TextLogits, model_needed
from stela_core.profile.provenance import OWN, Provenance
from stela_core.text.pos_contexts import CausalContexts
from stela_core.text.prefix import decodes_to
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.tokenizer import AnyTokenizer, tokenizer_errors


class Detector:
    """Test texts for one watermark.

    Args:
        composition: the watermark.
        tokenizer: cuts a text into token ids.
        tokens: bytes of the token ids.
        contexts: finds POS contexts; ``None`` where the scheme uses none.
        min_tokens: fewer distinct pairs than this are "insufficient text", whatever they show.
        alpha: largest p-value that is called watermarked.
        provenance: what each detection says of whoever made the profile.
        made_for: tokenizer (SHA-256) and language of the profile, which tell the expected power its model.
    """

    def __init__(
        self,
        composition: Composition,
        tokenizer: AnyTokenizer,
        tokens: TokenBytes,
        contexts: CausalContexts | None,
        min_tokens: int,
        alpha: float,
        provenance: Provenance = OWN,
        made_for: tuple[str, str | None] = ("", None),
    ) -> None:
        self.composition = composition
        self._tokenizer = tokenizer
        self._tokens = tokens
        self._contexts = contexts if "contexts" in composition.evidence.needs else None
        self.min_tokens = min_tokens
        self._alpha = alpha
        self.provenance = provenance
        self._made_for = made_for
        self._is_text = tokens.texts()

    def detect_batch(self, batch: Batch) -> list[Detection]:
        """Test each text by the best of its readings; the tagger sees the windows of all in one call."""
        return [self.judge_readings(readings) for readings in self.readings_evidence(batch)]

    def detect_many(self, texts: Sequence[str], logits: TextLogits | None = None) -> list[Detection]:
        """:meth:`detect_batch` for texts without prompts; errors as for :meth:`.Batch.of_texts`."""
        return self.detect_batch(Batch.of_texts(texts, logits=logits))

    def detect_ids(self, texts: Sequence[Sequence[int]]) -> list[Detection]:
        """:meth:`detect_batch` for token ids without prompts; errors as for :meth:`.Batch.of_ids`."""
        return self.detect_batch(Batch.of_ids(texts))

    def readings_evidence(
        self, batch: Batch, raw: Sequence[RawWeights] | None = None
    ) -> list[list[Evidence]]:
        """Colours, weights and groups of each reading of each text.

        Args:
            batch: the texts.
            raw: of each reading what :meth:`raw_weights` gave before, in place of the model's.

        Raises:
            StelaError: logits are needed and the batch has none.
        """
        flat = [
            (number, reading, share)
            for number, readings in enumerate(batch.readings)
            for reading, share in zip(readings, shares(len(readings)), strict=True)
        ]
        cut = iter(self.ids_of([reading.text for _, reading, _ in flat if reading.ids is None]))
        ids = [next(cut) if reading.ids is None else reading.ids for _, reading, _ in flat]
        prompts = None if batch.prompts is None else [batch.prompts[number] for number, _, _ in flat]
        seen = self._preceding([np.asarray(row, dtype=np.int64) for row in ids], batch.logits, prompts, raw)
        contexts = pos_contexts(self._contexts, seen)
        composition, weighting = self.composition, self.composition.evidence
        if raw is None:
            gamma = composition.hasher.law.share_above
            raw = weigh(seen, contexts, self._tokens, gamma, {"": weighting}, batch.logits)[""]
        texts: list[list[Evidence]] = [[] for _ in batch.readings]
        for n, (number, reading, share) in enumerate(flat):
            if reading.ids is None and not decodes_to(reading.text, ids[n], self._tokens):
                reading = with_offsets(reading, self._tokenizer)
            weights = checked_over_text(weighting, raw[n][1])
            weighed = seen.rows[n], seen.positions[n], contexts[n], weights
            texts[number].append(
                collect_evidence(*weighed, composition, self._tokens, seen.hashed[n], reading, share)
            )
        return texts

    def evidence(
        self,
        texts: Sequence[Sequence[int]],
        logits: TextLogits | None = None,
        prompts: Sequence[str] | None = None,
        raw: Sequence[RawWeights] | None = None,
    ) -> list[Evidence]:
        """:meth:`readings_evidence` of token ids; errors as for :meth:`.Batch.of_ids`, too."""
        batch = Batch.of_ids(texts, prompts, logits)
        return [evidence for [evidence] in self.readings_evidence(batch, raw)]

    def ids_of(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text."""
        with tokenizer_errors("the tokenizer fails on a text", "get the profile again, or make it again"):
            encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def positions_of(
        self, rows: list[Ids], logits: TextLogits | None, prompts: Sequence[str] | None
    ) -> list[npt.NDArray[np.intp]]:
        """Positions of each text's tokens that are scored.

        Raises:
            StelaError: logits are needed and were not given.
        """
        return self._preceding(rows, logits, prompts).positions

    def raw_weights(
        self,
        rows: list[Ids],
        logits: TextLogits | None,
        prompts: Sequence[str] | None,
        weightings: Mapping[str, Weighting],
    ) -> dict[str, list[RawWeights]]:
        """Weights of each text's tokens before ``over_text``, by several weightings of one kind at once.

        Args:
            rows: token ids of each text.
            logits: the model's distributions, where the evidence is weighed by them.
            prompts: what each text was written after.
            weightings: by name; all need the model where this detector's does, and none else.
        """
        seen = self._preceding(rows, logits, prompts)
        contexts = pos_contexts(self._contexts, seen)
        return weigh(
            seen, contexts, self._tokens, self.composition.hasher.law.share_above, weightings, logits
        )

    def _preceding(
        self,
        rows: list[Ids],
        logits: TextLogits | None,
        prompts: Sequence[str] | None,
        raw: Sequence[RawWeights] | None = None,
    ) -> PreparedTexts:
        """The texts with what stands before them: each prompt is cut into tokens once."""
        hasher, width = self.composition.hasher, self.composition.hasher.context_width
        ends: list[Sequence[int]] = [()] * len(rows)
        if prompts is not None and hasher.reads_prompt:
            ends = [ids[max(0, len(ids) - width) :] for ids in each_once(self.ids_of, prompts)]
        if raw is not None:
            return PreparedTexts(rows, [positions for positions, _ in raw], ends)
        positions = [
            scored_positions(ids, hasher, self._is_text, end) for ids, end in zip(rows, ends, strict=True)
        ]
        weighting = self.composition.evidence
        if not self.composition.needs_model_to_detect:
            return PreparedTexts(rows, positions, ends)
        if logits is None:
            raise model_needed("weighting", weighting.name)
        if prompts is None:
            read = logits.prefixes(None, len(rows), weighting.reads_bos)
        else:
            read = each_once(lambda each: logits.prefixes(each, len(each)), prompts)
        # Before the first token there is no distribution, unless something stands before it.
        positions = [at[at + len(prefix) > 0] for at, prefix in zip(positions, read, strict=True)]
        return PreparedTexts(rows, positions, ends, read)

    def with_composition(self, composition: Composition) -> Detector:
        """A detector like it for other parts or another key."""
        other = copy(self)
        other.composition = composition
        return other

    def noting(self, note: str) -> Detector:
        """One whose detections say this of its key."""
        other = copy(self)
        other.provenance = replace(self.provenance, note=note)
        return other

    def recoloured(self, evidence: Evidence) -> Evidence:
        """Evidence of another key's detector with the colours of this one: weights depend on no key."""
        ids = np.asarray(evidence.ids, dtype=np.int64)
        return collect_evidence(
            ids,
            evidence.positions,
            evidence.contexts,
            evidence.weights,
            self.composition,
            evidence.token_bytes,
            evidence.before,
            evidence.reading,
            evidence.share,
        )

    def judge_readings(self, readings: Sequence[Evidence], tests: int = 1) -> Detection:
        """The test of a text: by the best of its readings, each judged as by :meth:`judge`."""
        return best_reading([self.judge(evidence, tests) for evidence in readings])

    def judge(self, evidence: Evidence, tests: int = 1) -> Detection:
        """Score the evidence of one text, or of one of its readings.

        Args:
            evidence: p-values are divided by its share of alpha.
            tests: how many marks the text is tested for in all: p-values are times their number.
        """
        composition = self.composition
        hasher, scorer = composition.hasher, composition.scorer
        foreign: Mapping[str, float] = {}
        if scorer.reads_ids or hasher.scored_elsewhere:  # making an array of the ids takes time
            ids = np.asarray(evidence.ids, dtype=np.int64)
            whole = scorer.score_text(ids, evidence.positions, hasher)
            evidence = replace(evidence, whole=whole)  # windows rest on it, too
            foreign = hasher.foreign_scores(*after_prompt(ids, evidence.positions, evidence.before))
        score = evidence.whole or scorer.score_signals(evidence.signals)
        corrected = correct(evidence, score, composition, self.provenance, tests)
        p, looks = corrected.p, corrected.looks
        scored = len(evidence.positions)
        verdict = verdict_of(p.deciding, corrected.tests, scorer, self._alpha, self.min_tokens, looks)
        estimate: Callable[[], float | None] = no_power
        if verdict != "insufficient text":
            estimate = partial(
                expected_power, corrected.tests, composition, self._alpha / looks, self._made_for
            )
        return Detection(
            verdict=verdict,
            p_value=p.weighted,
            z=score.z,
            z_plain=score.z_plain,
            scored_tokens=scored,
            unique_pairs=evidence.pairs,
            green_fraction=float(evidence.green.mean()) if scored else 0.0,
            threshold=self._alpha,
            evidence=evidence,
            p_unweighted=p.unweighted,
            p_chosen=p.chosen,
            choices=corrected.choices,
            caveat=self.provenance.caveat_with(p.unweighted, p.chosen, corrected.log_choices, hasher.chosen),
            reading=evidence.reading.name,
            tests=tests,
            estimate=estimate,
            foreign_scores={**score.beside, **foreign},
            message=evidence.message and evidence.message.corrected(tests / evidence.share),
        )


def no_power() -> float:
    """Power of a test that nothing could pass."""
    return 0.0


def expected_power(*known: object) -> float | None:
    """The expected power, by whoever lends the function of this name; ``None`` where nobody does."""
    power = lent("expected_power")
    return None if power is None else power(*known)
