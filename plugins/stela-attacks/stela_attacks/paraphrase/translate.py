"""Back-translation: into another language and back."""

from __future__ import annotations

from collections.abc import Sequence

import stela_run
from pydantic import Field
from stela_run.text_rng import draws_of

import stela_core as stela
from stela_attacks.paraphrase.loading import Dtype, load
from stela_attacks.paraphrase.sentences import require_nltk, windows
from stela_attacks.paraphrase.seq2seq import Decoding, rewrite


class TranslateParameters(stela.Parameters):
    """The two models and how they write."""

    there: str = Field(min_length=1)
    """Folder or hub name of a sequence-to-sequence model that translates into another language, such as
    ``Helsinki-NLP/opus-mt-en-de``."""

    back: str = Field(min_length=1)
    """Name of a model that translates back, such as ``Helsinki-NLP/opus-mt-de-en``."""

    there_prefix: str = ""
    """Put before each run of sentences, for models that are told what to do: ``translate English to
    German: `` (T5), ``>>jpn<< `` (Marian with several targets)."""

    back_prefix: str = ""
    """The same on the way back."""

    sentences: int = Field(1, ge=1, le=20)
    """How many are translated at once."""

    beams: int = Field(4, ge=1, le=16)
    """Beams of the beam search, where nothing is drawn."""

    top_p: float | None = Field(default=None, gt=0, le=1)
    """Draw from the nucleus instead."""

    max_new_tokens: int = Field(256, ge=1, le=4096)
    """Largest number of new tokens for each run of sentences."""

    batch_size: int = Field(16, ge=1, le=1024)
    """Runs translated at once."""

    device: str | None = None
    """torch device; by default ``cuda`` where there is one."""

    dtype: Dtype | None = None
    """Type of the weights; by default float32 on the CPU and bfloat16 elsewhere."""


class Translate(stela_run.Attack[TranslateParameters]):
    """Translate run after run of sentences there, and what comes of it back."""

    name = "paraphrase-translate"

    def check(self, preflight: stela_run.Preflight) -> None:
        """Look for NLTK, both models and the device."""
        require_nltk(self.name)
        for model in (self.parameters.there, self.parameters.back):
            preflight.model(model)
        if self.parameters.device is not None:
            preflight.device(self.parameters.device)

    def apply(self, texts: Sequence[str], circumstances: stela_run.Circumstances) -> list[str]:
        """The texts translated back.

        Raises:
            StelaError: a model is not there, or a text is not well-formed.
        """
        stela.require_well_formed(texts)
        chosen = self.parameters
        runs = [windows(text, chosen.sentences) for text in texts]
        for model, prefix in ((chosen.there, chosen.there_prefix), (chosen.back, chosen.back_prefix)):
            runs = self._translated(model, prefix, runs, circumstances.seed)
        separator = "" if circumstances.language in {"zh", "ja"} else " "
        return [separator.join(part for part in run if part) for run in runs]

    def _translated(self, model: str, prefix: str, runs: list[list[str]], seed: int) -> list[list[str]]:
        chosen = self.parameters
        seq2seq = load(model, model, "AutoModelForSeq2SeqLM", chosen.device, chosen.dtype)
        decoding = Decoding(
            chosen.max_new_tokens, chosen.top_p, beams=chosen.beams, batch_size=chosen.batch_size
        )
        flat = [f"{prefix}{part}" for run in runs for part in run if part]
        draws = [draws_of(seed, part, f"{self.name} {model}") for part in flat]
        outputs = iter(rewrite(seq2seq, flat, draws, decoding))
        return [[next(outputs) for part in run if part] for run in runs]
