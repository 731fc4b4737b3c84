"""The attack: learn from the first texts, write new ones after the prompts of the others."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import stela_run
from pydantic import Field
from stela_models.loaded import Models
from stela_run.text_rng import draws_of

import stela_core as stela
from stela_attacks.steal.beliefs import Assumed, Beliefs

DELTA = 2.0
"""What is assumed of a scheme that names no delta."""


class StealParameters(stela.Parameters):
    """What the attacker has, takes the mark to be, and does."""

    texts: int = Field(20, ge=1, le=100_000)
    """Marked texts learned from: the first ones."""

    aside: int = Field(0, ge=0, le=100_000)
    """Texts that are not attacked, at least: attackers with more texts and with fewer then forge alike."""

    strength: float = Field(8.0, ge=0, le=50)
    """Bias, in nats, on a token that is surely green; less in proportion to the belief, and as much below
    0 on one that is surely red."""

    steering: float = Field(2.0, ge=0, le=50)
    """Bias, in nats, on a token with which the last ids are a context that something is known of."""

    base: Literal["model", "human"] = "model"
    """What a token's probability without the mark is taken from: the model, at each place of the marked
    texts, or how often it follows its context in the human texts."""

    width: int | None = Field(default=None, ge=0, le=8)
    """Width of the hash context, 0 for one green list; by default what the profile says."""

    gamma: float | None = Field(default=None, gt=0, lt=1)
    """Share of green tokens; by default what the profile says."""

    delta: float | None = Field(default=None, gt=0, le=50)
    """Bias of the mark that is assumed, in nats; by default the profile's, and 2 where it names none."""

    temperature: float = Field(0.7, gt=0, le=10)
    """Temperature of the marked texts, as assumed, and of the forged ones."""

    batch_size: int = Field(32, ge=1, le=1024)
    """Texts forged at once."""


class Steal(stela_run.Attack[StealParameters]):
    """Forge marked text with no key: in place of each text a new one, of as many tokens, after its prompt.

    After Jovanovic, Staab and Vechev, "Watermark Stealing in Large Language Models" (ICML 2024): the tokens
    that follow a context more often in marked text than without the mark are the green ones.
    """

    name = "steal"

    @property
    def studied(self) -> int:
        """The texts learned from, and those set aside besides them."""
        return max(self.parameters.texts, self.parameters.aside)

    def apply(self, texts: Sequence[str], circumstances: stela_run.Circumstances) -> list[str]:
        """A forged text for each of those not studied.

        Raises:
            StelaError: the model or the mark is not known, or there is no human text.
        """
        chosen = self.parameters
        if circumstances.model is None or circumstances.profile is None:
            raise stela.StelaError(
                'attack "steal" needs the model and the profile of the texts, and they are not named.',
                "run it in an experiment, or give Circumstances a model and a profile",
            )
        if chosen.base == "human" and not circumstances.human:
            raise stela.StelaError(
                'attack "steal" with base = "human" needs human text, and there is none.',
                f'give the language {circumstances.language} a "human" file, or take base = "model"',
            )
        from stela_attacks.steal.forge import Force, forge, ids_of

        hasher = circumstances.profile.hasher
        gamma = 0.5 if hasher.gamma is None else hasher.gamma
        scheme = circumstances.profile.scheme.parameters
        delta = float(scheme.get("delta") or DELTA) if chosen.delta is None else chosen.delta
        language_model = circumstances.models.load(circumstances.model)
        beliefs = _learned(
            circumstances.models,
            circumstances.model,
            tuple(texts[: chosen.texts]),
            tuple(circumstances.prompts[: chosen.texts]),
            tuple(circumstances.human) if chosen.base == "human" else None,
            hasher.context_width if chosen.width is None else chosen.width,
            Assumed(gamma if chosen.gamma is None else chosen.gamma, delta / chosen.temperature),
            chosen.temperature,
        )
        prompts = circumstances.prompts[self.studied :]
        rows = ids_of(language_model, texts[self.studied :])
        return forge(
            language_model,
            prompts,
            [len(row) for row in rows],
            beliefs,
            Force(chosen.strength, chosen.steering, chosen.temperature),
            [draws_of(circumstances.seed, prompt, self.name) for prompt in prompts],
            chosen.batch_size,
        )


@lru_cache(maxsize=1)
def _learned(
    models: Models,
    model: str,
    texts: tuple[str, ...],
    prompts: tuple[str, ...],
    human: tuple[str, ...] | None,
    width: int,
    assumed: Assumed,
    temperature: float,
) -> Beliefs:
    from stela_attacks.steal.bases import human_places, model_places
    from stela_attacks.steal.forge import ids_of

    language_model = models.load(model)
    rows = ids_of(language_model, texts)
    if human is None:
        places = model_places(language_model, rows, prompts, width, temperature)
    else:
        places = human_places(ids_of(language_model, human), rows, width)
    return Beliefs.learn(places, width, assumed)
