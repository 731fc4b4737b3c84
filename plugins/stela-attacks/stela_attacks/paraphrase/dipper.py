"""Dipper: paraphrase with control of words and order (Krishna et al., NeurIPS 2023)."""

from __future__ import annotations

from collections.abc import Sequence

import stela_run
from pydantic import Field
from stela_run.text_rng import draws_of

import stela_core as stela
from stela_attacks.paraphrase.loading import Dtype, load
from stela_attacks.paraphrase.sentences import require_nltk, windows
from stela_attacks.paraphrase.seq2seq import Decoding, rewrite


class DipperParameters(stela.Parameters):
    """How much is changed, by which model, and how."""

    lexical: int = Field(40, ge=0, le=100)
    """Lexical diversity L: 0 keeps all words. Dipper was trained on multiples of 20."""

    order: int = Field(0, ge=0, le=100)
    """Order diversity O: 0 keeps the order."""

    sentences: int = Field(3, ge=1, le=20)
    """How many are paraphrased at once."""

    model: str = Field("kalpeshk2011/dipper-paraphraser-xxl", min_length=1)
    """Folder or hub name of a ``T5ForConditionalGeneration``; the default has 11 B parameters (45 GB)."""

    tokenizer: str = Field("google/t5-v1_1-xxl", min_length=1)
    """Folder or hub name."""

    top_p: float = Field(0.75, gt=0, le=1)
    """Nucleus of the sampling; the authors' value."""

    temperature: float = Field(1.0, gt=0)
    prompt: bool = True
    """Whether the paraphraser sees the prompt before the text, as in the authors' experiments."""

    max_new_tokens: int = Field(512, ge=1, le=4096)
    """Largest number of new tokens for each run of sentences."""

    batch_size: int = Field(8, ge=1, le=1024)
    """Texts paraphrased at once."""

    device: str | None = None
    """torch device; by default ``cuda`` where there is one."""

    dtype: Dtype | None = None
    """Type of the weights; by default float32 on the CPU and bfloat16 elsewhere. T5 overflows in float16."""


class Dipper(stela_run.Attack[DipperParameters]):
    """Paraphrase run after run of sentences; what is written already is the context of the next run."""

    name = "paraphrase-dipper"
    languages = frozenset({"en"})

    def check(self, preflight: stela_run.Preflight) -> None:
        """Look for NLTK, the model, its tokenizer and the device."""
        require_nltk(self.name)
        preflight.model(self.parameters.model)
        preflight.model(self.parameters.tokenizer, weights=False)
        if self.parameters.device is not None:
            preflight.device(self.parameters.device)

    def apply(self, texts: Sequence[str], circumstances: stela_run.Circumstances) -> list[str]:
        """The paraphrases.

        Raises:
            StelaError: the model is not there, or a text is not well-formed.
        """
        stela.require_well_formed(texts)
        chosen = self.parameters
        seq2seq = load(
            chosen.model, chosen.tokenizer, "T5ForConditionalGeneration", chosen.device, chosen.dtype
        )
        decoding = Decoding(
            chosen.max_new_tokens, chosen.top_p, chosen.temperature, batch_size=chosen.batch_size
        )
        runs = [windows(text, chosen.sentences) for text in texts]
        draws = [draws_of(circumstances.seed, text, self.name) for text in texts]
        prompts = circumstances.prompts if chosen.prompt else [""] * len(texts)
        contexts = [" ".join(prompt.split()) for prompt in prompts]
        written: list[list[str]] = [[] for _ in texts]
        for step in range(max((len(run) for run in runs), default=0)):
            active = [number for number, run in enumerate(runs) if step < len(run)]
            inputs = [
                dipper_input(
                    chosen.lexical, chosen.order, [contexts[number], *written[number]], runs[number][step]
                )
                for number in active
            ]
            outputs = rewrite(seq2seq, inputs, [draws[number] for number in active], decoding)
            for number, output in zip(active, outputs, strict=True):
                written[number].append(output)
        return [" ".join(part for part in parts if part) for parts in written]


def dipper_input(lexical: int, order: int, before: Sequence[str], window: str) -> str:
    """What the paraphraser was trained on: codes (100 - L, 100 - O), context, and the marked window.

    As in ``dipper_paraphrases/paraphrase_minimal.py`` of martiansideofthemoon/ai-detection-paraphrases.
    """
    context = "".join(f" {part}" for part in before if part)
    return f"lexical = {100 - lexical}, order = {100 - order}{context} <sent> {window} </sent>"
