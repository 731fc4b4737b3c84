"""Was a model trained on text of a mark? Closed form: by what it writes. Open form: by what it expects.

Sander, Fernandez, Durmus, Douze and Furon, "Watermarking Makes Language Models Radioactive", NeurIPS 2024:
whoever trains on marked text learns a little of which tokens the key favours after which context.
``places.py`` says why p-values are valid.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from stela_audit.radioactivity.places import Ids, Places, counted, evidence_of, places_of, require_traceable
from stela_core import Detection, StelaError, Watermark
from stela_core.api import Detector, LanguageModel, TokenBytes

if TYPE_CHECKING:
    from stela_audit.radioactivity.suspect import Writing

Mode = Literal["closed", "open"]
Advance = Callable[[int], None]


@dataclass(frozen=True)
class Trace:
    """Outcome of a test. It says nothing of a person, and a large p-value clears no model."""

    mode: Mode
    texts: int
    """Answers or texts that were looked at."""
    tokens: int
    """Tokens of the model in them that the detector would score."""
    detection: Detection
    """Detection of the pairs that count, as if they were one text."""

    @property
    def p_value(self) -> float:
        """P(so much of the mark or more), if the model never saw text of this key; over random keys."""
        return self.detection.deciding_p

    @property
    def traced(self) -> bool:
        """Whether the p-value is at most the profile's alpha, from enough pairs."""
        return self.detection.watermarked

    def lines(self) -> list[str]:
        """The verdict, what it rests on, and what it means."""
        seen = self.detection
        texts = f"{self.texts:,} text{'s' * (self.texts != 1)}"
        verdict = "no sign that the model was trained on text of this mark"
        if self.traced:
            verdict = "the model has this mark: it was trained on text of it, or writes with it"
        elif seen.verdict == "insufficient text":
            verdict = "too few tokens count to tell"
        said = [
            f"p = {self.p_value:.2g}: {verdict}",
            f"{self.mode} form: {texts}, {self.tokens:,} tokens, {seen.unique_pairs:,} distinct "
            f"pairs scored, z {seen.z:.2f}; threshold {seen.threshold:g}",
            "p: how often a model that never saw text of this key would look like this. "
            "A large p clears no model.",
        ]
        return said if seen.caveat is None else [*said, f"note: {seen.caveat}"]

    def to_dict(self) -> dict[str, Any]:
        """What ``stela trace --json`` prints."""
        seen = self.detection
        return {
            "traced": self.traced,
            "p_value": self.p_value,
            "z": seen.z,
            "mode": self.mode,
            "texts": self.texts,
            "tokens": self.tokens,
            "unique_pairs": seen.unique_pairs,
            "green_fraction": seen.green_fraction,
            "threshold": seen.threshold,
            "key_id": seen.key_id,
            "caveat": seen.caveat,
        }


def trace_closed(
    watermark: Watermark,
    answers: Sequence[Ids],
    prompts: Sequence[str],
    unmarked: bool = False,
    most: int | None = None,
) -> Trace:
    """Closed form: score what the suspect model wrote.

    Args:
        watermark: of the profile.
        answers: token ids of the model's texts, prompts left out, (tokens,) each.
        prompts: all that it wrote them after.
        unmarked: the prompts surely have no mark of this key, and hold out nothing.
        most: number of pairs that count at most, the first ones; say it before you see a p-value.

    Raises:
        StelaError: no p-value is valid for this mark, or no pair counts.
    """
    require_traceable(watermark, unmarked)
    held = None if unmarked else contexts_of(watermark, prompts)
    return _traced(watermark, "closed", places_of(watermark, answers), held, False, most)


def trace_open(
    watermark: Watermark,
    language_model: LanguageModel,
    texts: Sequence[str],
    unmarked: bool = False,
    most: int | None = None,
    advance: Advance = lambda texts: None,
) -> Trace:
    """Open form: score the token that the suspect model expects at each place of texts.

    Args:
        watermark: of the profile.
        language_model: suspect and its tokenizer.
        texts: best those with the mark, or texts like them.
        unmarked: the texts surely have no mark of this key: repeated contexts count, too.
        most: number of pairs that count at most, the first ones; say it before you see a p-value.
        advance: is told how many texts, or parts of long ones, are done.

    Raises:
        StelaError: no p-value is valid for this mark, the tokenizer is another, or no pair counts.
    """
    require_traceable(watermark, unmarked)
    read = expected_places(watermark, language_model, texts, unmarked, advance)
    return _traced(watermark, "open", read, None, not unmarked, most)


def expected_places(
    watermark: Watermark,
    language_model: LanguageModel,
    texts: Sequence[str],
    unmarked: bool = False,
    advance: Advance = lambda texts: None,
) -> list[Places]:
    """The places of texts, with the tokens that the model expects there; arguments as for :func:`trace_open`.

    Raises:
        StelaError: the tokenizer is another, or the model does not know all of its tokens.
    """
    from stela_audit.radioactivity.suspect import expected

    require_same_tokenizer(watermark, language_model)
    detector, tokens = watermark.detector, watermark.tokens
    rows = [np.array(row, dtype=np.int64) for row in detector.ids_of(texts)]
    positions = detector.positions_of(rows, None, None)
    is_text = np.array([tokens.is_text(index) for index in range(len(tokens))])
    chosen = expected(language_model, rows, positions, is_text, advance)
    places = places_of(watermark, rows, None if unmarked else positions)
    return [one._replace(tokens=ids).only(ids >= 0) for one, ids in zip(places, chosen, strict=True)]


def trace_answers(
    watermark: Watermark,
    language_model: LanguageModel,
    prompts: Sequence[str],
    writing: Writing,
    unmarked: bool = False,
    most: int | None = None,
    advance: Advance = lambda texts: None,
) -> Trace:
    """Closed form: :func:`trace_closed` of what the suspect model writes after prompts now.

    Args:
        watermark: of the profile.
        language_model: suspect and its tokenizer.
        prompts: at least one character each.
        writing: how it writes.
        unmarked: as there.
        most: as there.
        advance: is told how many texts are done.

    Raises:
        StelaError: as there; or the tokenizer is another, or a prompt is empty.
    """
    from stela_audit.radioactivity.suspect import answers

    require_traceable(watermark, unmarked)
    require_same_tokenizer(watermark, language_model)
    return trace_closed(
        watermark, answers(language_model, prompts, writing, advance), prompts, unmarked, most
    )


def contexts_of(watermark: Watermark, texts: Sequence[str]) -> Ids:
    """All hash contexts of texts, (n, context width), the one at the end of each with them."""
    mark = watermark.parts.hasher
    begin = 0 if mark.padding is not None else mark.context_width
    contexts = [np.empty((0, mark.context_width), dtype=np.int64)]
    for row in watermark.detector.ids_of(texts):
        # One place more, of any token: what stands before it is the text's end.
        ids = np.array([*row, 0], dtype=np.int64)
        contexts.append(mark.contexts(ids, np.arange(begin, len(ids), dtype=np.intp)))
    return np.concatenate(contexts)


def require_same_tokenizer(watermark: Watermark, language_model: LanguageModel) -> None:
    """Find out whether the suspect's token ids are the profile's.

    Raises:
        StelaError: they are not.
    """
    watermark.check_tokenizer(language_model.tokenizer)


def _traced(
    watermark: Watermark,
    mode: Mode,
    texts: Sequence[Places],
    held: Ids | None,
    fresh: bool,
    most: int | None,
) -> Trace:
    if not texts:
        raise StelaError("there is no text to trace.", "give at least one")
    places = Places.pooled(texts)
    under = []
    for key, detector in watermark.detectors:
        detection = judged(detector, places, watermark.tokens, held, fresh, most, len(watermark.detectors))
        under.append(replace(detection, key_id=key.key_id))
    # The smallest of n p-values, each times n (Bonferroni).
    detection = min(under, key=lambda one: one.deciding_p)
    return Trace(mode, len(texts), len(places.tokens), detection)


def judged(
    detector: Detector,
    places: Places,
    tokens: TokenBytes,
    held: Ids | None = None,
    fresh: bool = False,
    most: int | None = None,
    tests: int = 1,
) -> Detection:
    """The test of all places that count, as of one text; arguments as for :func:`.counted`.

    Args:
        detector: of one key.
        places: of all texts.
        tokens: bytes of the token ids.
        held: contexts held out, (m, context width).
        fresh: count only the first place of each context.
        most: number of places that count at most.
        tests: number of keys that are tested: p-values are times it.

    Raises:
        StelaError: no place counts.
    """
    mark = detector.composition.hasher
    keep = counted(mark, places, held, fresh, most)
    if not keep.any():
        raise StelaError(
            "no token of the model counts: there are none, or all their contexts are held out.",
            "give more or longer texts; if they surely have no mark of this key, add --unmarked",
        )
    return detector.judge(evidence_of(mark, places.only(keep), tokens), tests)
