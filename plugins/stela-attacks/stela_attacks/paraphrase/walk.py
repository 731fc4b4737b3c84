"""A random walk over texts of equal quality (Zhang et al., "Watermarks in the Sand", ICML 2024)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import stela_run
from pydantic import Field
from stela_run.text_rng import draws_of
from stela_run.words import Pieces, join

import stela_core as stela
from stela_attacks.paraphrase.loading import Loaded, load
from stela_attacks.paraphrase.masked import MaskedModelParameters, check_model
from stela_attacks.paraphrase.masked_words import Gap, offers
from stela_core.api import LanguageModel


class WalkParameters(MaskedModelParameters):
    """How far it goes, and what holds it back."""

    steps: int = Field(100, ge=1, le=10_000)
    """Changes that are tried on each text."""

    quality: str = Field("tiny", min_length=1)
    """The quality oracle: a causal language model by name. It reads the prompt, too."""

    tolerance: float = Field(0.05, ge=0, le=10)
    """Nats a token by which the text's mean log-probability may fall below that of the text as it was."""


class Walk(stela_run.Attack[WalkParameters]):
    """Try one word after another, drawn from what a masked model offers, and keep what costs no quality.

    The paper's perturbation oracle fills spans with T5, and its quality oracle is a reward model.
    """

    name = "paraphrase-walk"

    def check(self, preflight: stela_run.Preflight) -> None:
        """Look for both models and the device."""
        check_model(self.parameters, preflight)
        preflight.model(self.parameters.quality)

    def apply(self, texts: Sequence[str], circumstances: stela_run.Circumstances) -> list[str]:
        """The texts at the ends of their walks.

        Raises:
            StelaError: a model is not there, or a text is not well-formed.
        """
        stela.require_well_formed(texts)
        chosen = self.parameters
        masked = load(chosen.model, chosen.model, "AutoModelForMaskedLM", chosen.device, chosen.dtype)
        judge = circumstances.models.load(chosen.quality)
        draws = [draws_of(circumstances.seed, text, self.name) for text in texts]
        prompts = list(circumstances.prompts)
        least = [
            mean_log_probability(judge, prompt, text) - chosen.tolerance
            for prompt, text in zip(prompts, texts, strict=True)
        ]
        walked = list(texts)
        for _ in range(chosen.steps):
            for number, tried in self._neighbours(masked, walked, draws):
                if mean_log_probability(judge, prompts[number], tried) >= least[number]:
                    walked[number] = tried
        return walked

    def _neighbours(
        self, masked: Loaded, texts: Sequence[str], draws: Sequence[np.random.Generator]
    ) -> list[tuple[int, str]]:
        """Texts with one word changed, by number; none of a text for which the model offers nothing."""
        chosen = self.parameters
        gaps, numbers, picks = [], [], []
        for number, (text, own) in enumerate(zip(texts, draws, strict=True)):
            pieces = Pieces.of(text)
            place, pick = own.random(2)  # drawn in any case: what one text does leaves the others as they are
            able = [at for at, word in enumerate(pieces.words) if word.isalpha()]
            if able:
                gaps.append(Gap(pieces, able[int(place * len(able))]))
                numbers.append(number)
                picks.append(pick)
        offered = offers(masked, gaps, chosen.candidates, chosen.context, chosen.batch_size)
        changed = []
        for number, gap, pick, words in zip(numbers, gaps, picks, offered, strict=True):
            if words:
                new = list(gap.pieces.words)
                new[gap.place] = words[int(pick * len(words))]
                changed.append((number, join(new, gap.pieces.gaps)))
        return changed


def mean_log_probability(judge: LanguageModel, prompt: str, text: str) -> float:
    """Mean log-probability of the text's tokens after the prompt, nats a token; 0 where none is read.

    Of a text longer than the model takes, its first tokens count.
    """
    import torch

    model, tokenizer = judge
    before = tokenizer(prompt, add_special_tokens=True)["input_ids"]
    own = tokenizer(text, add_special_tokens=False)["input_ids"]
    longest = getattr(model.config, "max_position_embeddings", None)
    ids = torch.tensor([[*before, *own][:longest]], device=model.device)
    start = max(len(before), 1)
    if ids.shape[1] <= start:
        return 0.0
    with torch.inference_mode():
        logits = model(ids).logits[0, start - 1 : -1].float()
    chosen = logits.log_softmax(dim=-1).gather(1, ids[0, start:, None])
    return float(chosen.mean())
