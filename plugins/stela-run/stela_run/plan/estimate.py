"""What an experiment may ask of how texts are drawn, and of an expected z."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from stela_core import GreenList, Hasher, Registry, Scorer, StelaError
from stela_core.api import resolve_scheme

Estimate = Literal["generated", "expected"]
"""Whether z is that of texts that a mark wrote, or what is expected of it along texts without a mark."""

EXPECTED = "expected"
ASKED = 'estimate = "expected"'


def wrong_draws(experiment: Mapping[str, Any], aims: set[str | None]) -> str | None:
    """What keeps texts from being drawn and estimated as an experiment says; ``None`` where nothing does.

    Args:
        experiment: its fields by name.
        aims: what pilots set strengths by.
    """
    greedy, cut = experiment["temperature"] == 0, experiment["top_p"] is not None
    cost = next((aim for aim in aims if aim not in (None, "mean_bias", "tpr")), None)
    if greedy and cost:
        return f"{cost} needs a temperature above 0: greedy texts have no distribution"
    if cut and greedy:
        return "top_p needs a temperature above 0: greedy texts take the likeliest token"
    if cut and cost:
        return f"{cost} needs all tokens, without top_p: it is infinite where marks add tokens"
    if experiment["estimate"] != EXPECTED:
        return None
    reasons = {
        "a temperature above 0: greedy texts have no distribution": greedy,
        "all tokens, without top_p": cut,
        "texts without attack: no text is marked": [one.name for one in experiment["attacks"]] != ["none"],
        'negatives = true, or "human": it is taken along texts without a mark': not experiment["negatives"],
        "a number of texts: they are the same for all schemes": experiment["until_decided"],
        "one reading of each text": experiment["readings"],
        "another strength than tpr: no text is found": "tpr" in aims,
    }
    return next((f"{ASKED} needs {what}" for what, wrong in reasons.items() if wrong), None)


def require_expectation(registry: Registry, scheme: str, bits: int | None) -> None:
    """Find out whether a scheme, which carries a message of some bits or none, has an expected z.

    Raises:
        StelaError: its z is not a weighted count of green tokens whose weights are known before the token.
    """
    parts = resolve_scheme(registry, scheme)
    hasher = registry.get(Hasher, parts.scheme.hasher)
    why = ""
    if not issubclass(hasher, GreenList):
        why = "it chooses tokens"
    elif "token" in parts.evidence.needs:
        why = f'its evidence "{parts.evidence.name}" weighs a token by what it is'
    elif parts.scorer.reads_ids or parts.scorer.coin_weights is Scorer.coin_weights:
        why = f'its scorer "{parts.scorer.name}" does not count green tokens'
    elif bits is not None:
        why = "it carries a message, which detection chooses by the colours"
    if why:
        raise StelaError(f'scheme "{scheme}" has no expected z: {why}.', f"take {ASKED} out")
