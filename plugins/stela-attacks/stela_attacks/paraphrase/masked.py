"""Words replaced by what a masked language model would write in their place."""

from __future__ import annotations

from collections.abc import Sequence

import stela_run
from pydantic import Field
from stela_run.text_rng import draws_of
from stela_run.words import Pieces, drawn, join

import stela_core as stela
from stela_attacks.paraphrase.loading import Dtype, load
from stela_attacks.paraphrase.masked_words import Gap, offers


class MaskedModelParameters(stela.Parameters):
    """A masked model, and how it reads."""

    model: str = Field("FacebookAI/xlm-roberta-base", min_length=1)
    """Folder or hub name of a masked language model; the default knows 100 languages (1.1 GB)."""

    candidates: int = Field(20, ge=1, le=1000)
    """The model's likeliest tokens among which another word is looked for."""

    context: int = Field(400, ge=8, le=10_000)
    """Characters that it reads on each side of a word."""

    batch_size: int = Field(32, ge=1, le=1024)
    """Words looked at together."""

    device: str | None = None
    """torch device; by default ``cuda`` where there is one."""

    dtype: Dtype | None = None
    """Type of the weights; by default float32 on the CPU and bfloat16 elsewhere."""


class MaskedParameters(MaskedModelParameters):
    """How many words are replaced, and by which model."""

    share: float = Field(0.2, ge=0, le=1)
    """Share of the words that are changed; the number of words it makes is rounded."""


class Masked(stela_run.Attack[MaskedParameters]):
    """Replace a share of the words by the likeliest other word of a masked model (Li et al., EMNLP 2020).

    Words that are not all letters are kept, and so are those for which the model has no other whole word.
    """

    name = "paraphrase-masked"

    def check(self, preflight: stela_run.Preflight) -> None:
        """Look for the model and the device."""
        check_model(self.parameters, preflight)

    def apply(self, texts: Sequence[str], circumstances: stela_run.Circumstances) -> list[str]:
        """The changed texts.

        Raises:
            StelaError: the model is not there or no masked one, or a text is not well-formed.
        """
        stela.require_well_formed(texts)
        chosen = self.parameters
        loaded = load(chosen.model, chosen.model, "AutoModelForMaskedLM", chosen.device, chosen.dtype)
        cut = [Pieces.of(text) for text in texts]
        gaps: list[Gap] = []
        owners: list[int] = []
        for number, (text, pieces) in enumerate(zip(texts, cut, strict=True)):
            places = drawn(chosen.share, len(pieces.words), draws_of(circumstances.seed, text, self.name))
            own = [Gap(pieces, place) for place in places if pieces.words[place].isalpha()]
            gaps += own
            owners += [number] * len(own)
        changed = [list(pieces.words) for pieces in cut]
        offered = offers(loaded, gaps, chosen.candidates, chosen.context, chosen.batch_size)
        for number, gap, words in zip(owners, gaps, offered, strict=True):
            if words:
                changed[number][gap.place] = words[0]
        return [join(words, pieces.gaps) for words, pieces in zip(changed, cut, strict=True)]


def check_model(parameters: MaskedModelParameters, preflight: stela_run.Preflight) -> None:
    """Look for the model and the device.

    Raises:
        StelaError: one of them is missing.
    """
    preflight.model(parameters.model)
    if parameters.device is not None:
        preflight.device(parameters.device)
