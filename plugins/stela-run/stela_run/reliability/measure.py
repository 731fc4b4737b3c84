"""The numbers of a report: false alarms on people's text, and what is found of marked text, by length."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from tokenizers import Tokenizer

from stela_core import StelaError, Watermark
from stela_run.null.shift import LEVELS, Share, shares
from stela_run.reliability.cells import (
    LENGTHS,
    PER_DOCUMENT,
    Cut,
    DoneShard,
    cut_texts,
    read_documents,
    run_detector,
)

FEWEST = 20
"""Texts of a cell, below which it is left out: its intervals would say nothing."""

LIKELY = (0.5, 0.8, 0.95)
"""Powers whose shortest length is told."""


@dataclass(frozen=True)
class Human:
    """People's text of one corpus and length, tested by the profile's detector under its own keys."""

    corpus: str
    tokens: int
    documents: int
    texts: int
    mean_z: float
    sd_z: float
    shares: list[Share]
    """Shares of texts with p <= level, for 0.1, 0.01, 0.001 and the profile's alpha."""
    insufficient: float
    """Share of texts that are too short for a verdict."""
    expected_power: float | None
    """Mean estimate of how often such a text is found, were it marked at the profile's strength."""


@dataclass(frozen=True)
class Marked:
    """Texts that a model wrote with the mark, cut to one length."""

    source: str
    tokens: int
    texts: int
    rate: Share
    """Share that the verdict calls watermarked; the level is the profile's alpha."""
    median_p: float


@dataclass(frozen=True)
class Reliability:
    """Everything that a report says."""

    alpha: float
    human: list[Human]
    marked: list[Marked]

    @property
    def shortest(self) -> dict[str, dict[float, int | None]]:
        """The shortest length that reaches each of :data:`LIKELY`, by corpus or file of marked texts.

        ``None`` where no length looked at does. From a length on, longer ones have to reach it as well.
        """
        rates: dict[str, list[tuple[int, float]]] = {}
        for row in self.human:
            if row.expected_power is not None:
                rates.setdefault(f"{row.corpus} (expected)", []).append((row.tokens, row.expected_power))
        for each in self.marked:
            rates.setdefault(each.source, []).append((each.tokens, each.rate.observed))
        return {name: {power: _from(row, power) for power in LIKELY} for name, row in rates.items()}

    def to_dict(self) -> dict[str, object]:
        """The report as JSON has it."""
        shortest = {
            name: {str(power): tokens for power, tokens in row.items()} for name, row in self.shortest.items()
        }
        return {
            "alpha": self.alpha,
            "human": [asdict(row) for row in self.human],
            "marked": [asdict(row) for row in self.marked],
            "shortest": shortest,
        }


def measure(
    watermark: Watermark,
    tokenizer: Tokenizer,
    corpora: Mapping[str, Iterable[str]],
    marked: Mapping[str, Sequence[str]],
    lengths: Sequence[int] = LENGTHS,
    most: int = 1_000,
    advance: Callable[[int], None] = lambda texts: None,
) -> Reliability:
    """Test texts of each length, of people and of a model.

    Args:
        watermark: of the profile, with its keys.
        tokenizer: of the profile.
        corpora: documents of people, by name.
        marked: texts with the mark, by name; the first tokens of each are tested.
        lengths: tokens.
        most: texts of a corpus and length, at most.
        advance: is told how many texts more were tested.

    Raises:
        StelaError: no corpus has texts enough of any length.
    """
    alpha = watermark.profile.alpha
    levels = tuple(sorted({*LEVELS, alpha}, reverse=True))
    human: list[Human] = []
    for name, texts in corpora.items():
        cuts = _cuts(texts, tokenizer, lengths, most, PER_DOCUMENT)
        if not cuts:
            raise StelaError(
                f'corpus "{name}" has fewer than {FEWEST} texts of {min(lengths)} tokens.',
                "give more text, or smaller --lengths",
            )
        human += [_human(name, run_detector(watermark, cut, advance), levels) for cut in cuts]
    made = [
        _marked(name, run_detector(watermark, cut, advance), alpha)
        for name, texts in marked.items()
        for cut in _cuts(texts, tokenizer, lengths, most, 1)
    ]
    return Reliability(alpha, human, made)


def _cuts(
    texts: Iterable[str], tokenizer: Tokenizer, lengths: Sequence[int], most: int, per_document: int
) -> list[Cut]:
    """Cuts of the lengths that enough texts have."""
    documents = read_documents(texts, tokenizer)
    cuts = [cut_texts(documents, tokens, most, per_document) for tokens in lengths]
    return [cut for cut in cuts if len(cut.texts) >= FEWEST]


def _human(name: str, tested: DoneShard, levels: Sequence[float]) -> Human:
    power = tested.power[~np.isnan(tested.power)]
    cut: Cut = tested.cut
    return Human(
        corpus=name,
        tokens=cut.tokens,
        documents=len(np.unique(cut.documents)),
        texts=len(cut.texts),
        mean_z=float(tested.z.mean()),
        sd_z=float(tested.z.std(ddof=1)),
        shares=shares(tested.p_values, _numbered(cut), levels),
        insufficient=float(tested.insufficient.mean()),
        expected_power=float(power.mean()) if len(power) else None,
    )


def _marked(name: str, tested: DoneShard, alpha: float) -> Marked:
    # shares() of a number that is at or below the level where the verdict is "watermarked".
    (rate,) = shares(np.where(tested.watermarked, 0.0, 1.0), _numbered(tested.cut), (alpha,))
    return Marked(name, tested.cut.tokens, len(tested.cut.texts), rate, float(np.median(tested.p_values)))


def _numbered(cut: Cut) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Documents numbered without gaps, (texts,)."""
    return np.unique(cut.documents, return_inverse=True)[1].reshape(-1)


def _from(rates: Sequence[tuple[int, float]], power: float) -> int | None:
    shortest = None
    for tokens, rate in sorted(rates, reverse=True):
        if rate < power or math.isnan(rate):
            break
        shortest = tokens
    return shortest
