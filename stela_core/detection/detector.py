"""Detector: texts to detections, the taggers called once for all texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from itertools import islice

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from stela_core.composition import Composition, checked_over_text
from stela_core.detection.best_reading import best_reading
from stela_core.detection.corrected import corrected
from stela_core.detection.evidence import Evidence, after_prompt, gather, scored_positions
from stela_core.detection.expected_power import expected_power, no_power
from stela_core.detection.freedom import ANY, Freedoms
from stela_core.detection.raw_weights import RawWeights, weigh
from stela_core.detection.read_before import contexts_at, tails_at
from stela_core.detection.readings import Reader, Reading, placed, readings_of, shares
from stela_core.detection.result import Detection
from stela_core.detection.texts import checked_ids, checked_texts
from stela_core.detection.verdict import distinct_pairs, verdict_of
from stela_core.interfaces import Context, Weighting
from stela_core.interfaces.logits import TextLogits, model_needed
from stela_core.profile.provenance import OWN, Provenance
from stela_core.text.pos_contexts import CausalContexts
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.tokenizer import tokenizer_errors


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
        freedoms: how much of the mark the model's texts take, for the expected power.
    """

    def __init__(
        self,
        composition: Composition,
        tokenizer: Tokenizer,
        tokens: TokenBytes,
        contexts: CausalContexts | None,
        min_tokens: int,
        alpha: float,
        provenance: Provenance = OWN,
        freedoms: Freedoms = ANY,
    ) -> None:
        self._composition = composition
        self._tokenizer = tokenizer
        self._tokens = tokens
        self._contexts = contexts if "contexts" in composition.evidence.needs else None
        self._min_tokens = min_tokens
        self._alpha = alpha
        self._provenance = provenance
        self._power = partial(expected_power, freedoms=freedoms)
        self._is_text = np.array([tokens.is_text(i) for i in range(len(tokens))] + [False])

    def detect_many(
        self,
        texts: Sequence[str],
        logits: TextLogits | None = None,
        prompts: Sequence[str] | None = None,
        reader: Reader = readings_of,
    ) -> list[Detection]:
        """Test each text in all its readings; the tagger sees the windows of all texts in one call.

        Args:
            texts: to test.
            logits: the model's distributions, where the evidence is weighed by them.
            prompts: what each text was generated after, for the model to read; not tested.
            reader: gives the readings; :func:`stela_core.detection.readings.as_it_is` the text's own alone.

        Raises:
            StelaError: a text is no str or not well-formed unicode (named by its number, from 1), or
                logits are needed and were not given.
        """
        return self.detect_readings([reader(text) for text in checked_texts(texts)], logits, prompts)

    def detect_readings(
        self,
        texts: Sequence[Sequence[Reading]],
        logits: TextLogits | None = None,
        prompts: Sequence[str] | None = None,
    ) -> list[Detection]:
        """Test each text by the best of its readings, at least one each; else as :meth:`detect_many`."""
        return [
            best_reading([self.judge(one) for one in readings])
            for readings in self.readings_evidence(texts, logits, prompts)
        ]

    def readings_evidence(
        self,
        texts: Sequence[Sequence[Reading]],
        logits: TextLogits | None = None,
        prompts: Sequence[str] | None = None,
    ) -> list[list[Evidence]]:
        """The evidence of each reading of each text; arguments as for :meth:`detect_many`."""
        flat = [reading for readings in texts for reading in readings]
        counts = [len(readings) for readings in texts]
        if prompts is not None:
            prompts = [prompt for prompt, count in zip(prompts, counts, strict=True) for _ in range(count)]
        cut = iter(self.ids_of([reading.text for reading in flat if reading.ids is None]))
        rows = [next(cut) if reading.ids is None else reading.ids for reading in flat]
        flat = [placed(one, ids, self._tokenizer, self._tokens) for one, ids in zip(flat, rows, strict=True)]
        parts = [share for count in counts for share in shares(count)]
        each = zip(self.evidence(rows, logits, prompts), flat, parts, strict=True)
        evidence = (replace(one, reading=of, share=share) for one, of, share in each)
        return [list(islice(evidence, count)) for count in counts]

    def ids_of(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text."""
        with tokenizer_errors("the tokenizer fails on a text", "get the profile again, or make it anew"):
            encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def detect_ids(
        self,
        texts: Sequence[Sequence[int]],
        logits: TextLogits | None = None,
        prompts: Sequence[str] | None = None,
    ) -> list[Detection]:
        """Like :meth:`detect_many`, for token ids (generated ones, say), prompt left out."""
        return [self.judge(evidence) for evidence in self.evidence(texts, logits, prompts)]

    def evidence(
        self,
        texts: Sequence[Sequence[int]],
        logits: TextLogits | None = None,
        prompts: Sequence[str] | None = None,
        raw: Sequence[RawWeights] | None = None,
    ) -> list[Evidence]:
        """Colours, weights and groups of each text of token ids; arguments as for :meth:`detect_many`.

        Args:
            texts: token ids.
            logits: the model's distributions, where the evidence is weighed by them.
            prompts: what each text was written after.
            raw: what :meth:`raw_weights` gave for the texts before, in place of the model's.
        """
        rows = checked_ids(texts)
        before = self._ends_of(prompts, len(rows))
        weighting = self._composition.evidence
        positions = [one.positions for one in raw] if raw else self.positions_of(rows, logits, prompts)
        contexts = contexts_at(self._contexts, rows, positions)
        if raw is None:
            [raw] = self._weigh(rows, positions, contexts, logits, prompts, {"": weighting}).values()
        return [
            gather(
                ids, at, seen, checked_over_text(weighting, one.values), self._composition, self._tokens, end
            )
            for ids, at, seen, one, end in zip(rows, positions, contexts, raw, before, strict=True)
        ]

    def positions_of(
        self, rows: list[npt.NDArray[np.int64]], logits: TextLogits | None, prompts: Sequence[str] | None
    ) -> list[npt.NDArray[np.intp]]:
        """Positions of each text's tokens that are scored.

        Raises:
            StelaError: logits are needed and were not given.
        """
        hasher = self._composition.hasher
        positions = [
            scored_positions(ids, hasher, self._is_text, end)
            for ids, end in zip(rows, self._ends_of(prompts, len(rows)), strict=True)
        ]
        if not self._composition.needs_model_to_detect:
            return positions
        if logits is None:
            raise model_needed("weighting", self._composition.evidence.name)
        # Before the first token there is no distribution, unless something stands before it.
        prefixes = logits.prefixes(prompts, len(rows), self._composition.evidence.reads_bos)
        return [at[at + len(prefix) > 0] for at, prefix in zip(positions, prefixes, strict=True)]

    def raw_weights(
        self,
        rows: list[npt.NDArray[np.int64]],
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
        positions = self.positions_of(rows, logits, prompts)
        return self._weigh(
            rows, positions, contexts_at(self._contexts, rows, positions), logits, prompts, weightings
        )

    def _weigh(
        self,
        rows: list[npt.NDArray[np.int64]],
        positions: list[npt.NDArray[np.intp]],
        contexts: list[Sequence[Context]],
        logits: TextLogits | None,
        prompts: Sequence[str] | None,
        weightings: Mapping[str, Weighting],
    ) -> dict[str, list[RawWeights]]:
        chunks = None
        if logits is not None and self._composition.needs_model_to_detect:
            before = logits.prefixes(prompts, len(rows), self._composition.evidence.reads_bos)
            chunks = logits.chunks(rows, positions, before)
        reads = any("text" in weighting.needs for weighting in weightings.values())
        tails = tails_at(self._tokens, rows, positions) if reads else [()] * len(rows)
        sees = any("token" in weighting.needs for weighting in weightings.values())
        scored = [ids[at] for ids, at in zip(rows, positions, strict=True)] if sees else ()
        return weigh(
            positions, contexts, tails, weightings, self._composition.hasher.law.share_above, chunks, scored
        )

    def _ends_of(self, prompts: Sequence[str] | None, count: int) -> list[Sequence[int]]:
        """The ids before each text that hash contexts reach into."""
        hasher = self._composition.hasher
        if prompts is None or not hasher.reads_prompt:
            return [()] * count
        width = hasher.context_width
        return [ids[max(0, len(ids) - width) :] for ids in self.ids_of(prompts)]

    @property
    def composition(self) -> Composition:
        """The watermark."""
        return self._composition

    def with_composition(self, composition: Composition, note: str | None = None) -> Detector:
        """A detector like it for other parts or another key; ``note`` is what each detection says of it."""
        other = copy(self)
        other._composition = composition
        other._provenance = self._provenance.noting(note)
        return other

    def recoloured(self, evidence: Evidence) -> Evidence:
        """Evidence of another key's detector with the colours of this one: weights depend on no key."""
        ids = np.asarray(evidence.ids, dtype=np.int64)
        other = gather(
            ids,
            evidence.positions,
            evidence.contexts,
            evidence.weights,
            self._composition,
            evidence.token_bytes,
            evidence.before,
        )
        return replace(other, reading=evidence.reading, share=evidence.share)

    def judge(self, evidence: Evidence, tests: int = 1) -> Detection:
        """Score the evidence of one text, or of one of its readings.

        Args:
            evidence: p-values are divided by its share of alpha.
            tests: how many marks the text is tested for in all: p-values are times their number.
        """
        composition, ids = self._composition, np.asarray(evidence.ids, dtype=np.int64)
        scorer = composition.scorer
        places = after_prompt(ids, evidence.positions, evidence.before)
        whole = scorer.score_text(ids, evidence.positions, composition.hasher)
        if whole is not None:
            evidence = replace(evidence, whole=whole)  # windows rest on it, too
        score = evidence.whole or scorer.score_signals(evidence.signals)
        p = corrected(evidence, score, composition, self._provenance, tests)
        scored = len(evidence.positions)
        verdict = verdict_of(p.decisive, p.tests, scorer, self._alpha, self._min_tokens, p.looks)
        enough = verdict != "insufficient text"
        return Detection(
            verdict=verdict,
            p_value=p.own,
            z=score.z,
            z_plain=score.z_plain,
            scored_tokens=scored,
            unique_pairs=distinct_pairs(evidence),
            green_fraction=float(evidence.green.mean()) if scored else 0.0,
            threshold=self._alpha,
            evidence=evidence,
            p_alike=p.alike,
            p_chosen=p.chosen,
            choices=p.choices,
            caveat=self._provenance.caveat_with(p.alike, p.chosen, composition.hasher.log_choices),
            reading=evidence.reading_name,
            tests=tests,
            estimate=partial(self._power, p.tests, composition, self._alpha / p.looks)
            if enough
            else no_power,
            beside={**score.beside, **composition.hasher.foreign_scores(*places)},
        )
