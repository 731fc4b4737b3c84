"""What an experiment may ask of how texts are drawn, and of an expected z."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from stela_core import GreenList, Hasher, Registry, Scorer, StelaError
from stela_core.api import resolve_scheme

if TYPE_CHECKING:
    from stela_run.plan.schema import Experiment, SchemeEntry

Estimate = Literal["generated", "expected"]
"""Whether z is that of texts that a mark wrote, or what is expected of it along texts without a mark."""

EXPECTED = "expected"
ASKED = 'estimate = "expected"'


def wrong_draws(experiment: Experiment, cost: str | None) -> str | None:
    """What keeps texts from being drawn and estimated as an experiment says; ``None`` where nothing does.

    Args:
        experiment: as read.
        cost: that a pilot is asked to set, if any is.
    """
    if experiment.temperature == 0 and cost:
        return f"{cost} needs a temperature above 0: greedy texts have no distribution"
    if experiment.top_p is not None and experiment.temperature == 0:
        return "top_p needs a temperature above 0: greedy texts take the likeliest token"
    if experiment.top_p is not None and cost:
        return f"{cost} needs all tokens, without top_p: it is infinite where marks add tokens"
    return _wrong_expectation(experiment) if experiment.expected else None


def _wrong_expectation(experiment: Experiment) -> str | None:
    reasons = {
        "a temperature above 0: greedy texts have no distribution": experiment.temperature == 0,
        "all tokens, without top_p": experiment.top_p is not None,
        "texts without attack: no text is marked that could be changed": experiment.attacks[0].name != "none"
        or len(experiment.attacks) > 1,
        'negatives = true, or "human": it is taken along texts without a mark': not experiment.negatives,
        "a number of texts: they are the same for all schemes": experiment.until_decided,
        "one reading of each text": experiment.readings,
        "another strength than tpr: no text is found": any(one.tpr is not None for one in experiment.schemes),
    }
    return next((f"{ASKED} needs {what}" for what, wrong in reasons.items() if wrong), None)


def require_expectation(registry: Registry, entry: SchemeEntry) -> None:
    """Find out whether a scheme has an expected z.

    Raises:
        StelaError: its z is not a weighted count of green tokens whose weights are known before the token.
    """
    parts = resolve_scheme(registry, entry.name)
    hasher = registry.get(Hasher, parts.scheme.hasher)
    why = ""
    if not issubclass(hasher, GreenList):
        why = "it chooses tokens"
    elif "token" in parts.evidence.needs:
        why = f'its evidence "{parts.evidence.name}" weighs a token by what it is'
    elif parts.scorer.reads_ids or parts.scorer.coin_weights is Scorer.coin_weights:
        why = f'its scorer "{parts.scorer.name}" does not count green tokens'
    elif entry.bits is not None:
        why = "it carries a message, which detection chooses by the colours"
    if why:
        raise StelaError(f'scheme "{entry.name}" has no expected z: {why}.', f"take {ASKED} out")
