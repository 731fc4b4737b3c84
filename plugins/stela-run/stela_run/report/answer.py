"""The answer of a run: a sentence for each pair of schemes and each language."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from stela_core.api import write_atomically
from stela_run.plan.estimate import EXPECTED
from stela_run.plan.schema import COSTS
from stela_run.report.layout import View, language_name
from stela_run.report.pairs import prompt_means
from stela_run.report.rates import Estimate
from stela_run.report.read import Place, Tests
from stela_run.report.strength import Strength
from stela_run.statistics.anytime import anytime, pairs_to_decide
from stela_run.statistics.bootstrap import Floats
from stela_run.statistics.families import LEVEL, holm, pairs_of
from stela_run.statistics.paired import Paired, paired, pairs_needed

SUMMARY = "summary.json"
Z, EVIDENCE, EXPECTED_Z = "z", "−log10 p", "expected z"
EQUAL, SAME = "at equal mean bias", "at the same {}, set by a pilot"


@dataclass(frozen=True)
class Answer:
    """What a run says of two schemes in one language at the longest length."""

    model: str
    language: str
    length: int
    one: str
    other: str
    quantity: str
    """What is compared: z, or -log10 p where a mark chooses tokens, as its z is of another kind; expected z
    where the experiment asks for it."""
    difference: Paired
    """Difference of ``one`` less ``other``, prompt by prompt."""
    at: str
    """Strength at which they are compared, in words."""
    adjusted: float = 1.0
    """The p-value, corrected for all answers of the run (Holm)."""
    needed: int | None = None
    """Number of prompts, about, that would decide an undecided pair, if the difference is the one seen."""
    attack: str = ""
    """Attack that the texts were changed by; empty without one."""

    @property
    def equal(self) -> bool:
        """Whether the two are compared at equal strength."""
        return self.at in (EQUAL, *(SAME.format(cost.replace("_", " ")) for cost in COSTS))

    @property
    def decided(self) -> bool:
        """Whether the difference is found, corrected for all answers of the run."""
        return self.adjusted <= LEVEL

    @property
    def text(self) -> str:
        """The sentence; the model is not in it."""
        mean, low, high, *_, count = self.difference
        seen = f"{self.quantity} {mean:+z.2f}"
        if low is not None and high is not None:
            seen += f" [{low:+z.2f}, {high:+z.2f}]"
        where = f"In {language_name(self.language)}{f' after {self.attack}' if self.attack else ''}"
        if self.decided:
            better, worse = (self.one, self.other) if mean > 0 else (self.other, self.one)
            side = "" if mean > 0 else f", {self.one} less {self.other}"
            return (
                f"{where}, {better} finds more than {worse} {self.at}: {seen} at {self.length} tokens{side}."
            )
        texts = f"{count} text{' is' if count == 1 else 's are'} too few"
        more = "" if self.needed is None else f"; about {_rounded(self.needed):,} would be needed"
        return (
            f"{where}, {texts} to say whether {self.one} or {self.other} finds more {self.at} "
            f"({seen} at {self.length} tokens){more}."
        )


def answers(view: View) -> list[Answer]:
    """All of a run without attack, in its order, corrected together.

    Schemes without common texts have none.
    """
    return _corrected(view, list(_all(view, None)))


def attacked_answers(view: View) -> list[Answer]:
    """The same after each attack: a separate family, and a separate correction."""
    attacks = dict.fromkeys(place.attack for place in view.run.places)
    others = [attack for attack in attacks if attack != view.run.untouched]
    return _corrected(view, [one for attack in others for one in _all(view, attack)])


def _corrected(view: View, made: list[Answer]) -> list[Answer]:
    adjusted = holm([one.difference.p for one in made])
    return [
        replace(one, adjusted=p, needed=None if p <= LEVEL else _needed(view, one.difference, len(made)))
        for one, p in zip(made, adjusted, strict=True)
    ]


def write_answers(path: Path, made: list[Answer], attacked: list[Answer], several_models: bool) -> None:
    """Write ``summary.json``: the sentences, and their numbers."""

    def row(one: Answer) -> dict[str, Any]:
        text = f"{one.model}: {one.text}" if several_models else one.text
        facts = asdict(one) | {"difference": one.difference._asdict()}
        return {"sentence": text, "decided": one.decided, **facts}

    content = {"answers": [*map(row, made)], "attacked": [*map(row, attacked)]}
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1)
    write_atomically(path, (text + "\n").encode("utf-8", "replace"))


def read_sentences(path: Path) -> list[str]:
    """The sentences of ``summary.json`` of a finished run; none where there is no such file.

    Those after attacks are counted in one.
    """
    if not path.is_file():
        return []
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    sentences = [str(one["sentence"]) for one in content["answers"]]
    attacked = content.get("attacked", [])
    decided = sum(bool(one["decided"]) for one in attacked)
    count = f"After attacks {decided} of {len(attacked)} comparisons are decided: report.html has them."
    return [*sentences, count] if attacked else sentences


def _all(view: View, attack: str | None) -> Iterator[Answer]:
    for model, language, length, places in view.longest(attack):
        strength = view.strength(model, language, length)
        for one, other in pairs_of(places):
            quantity = EVIDENCE if {one.label, other.label} & strength.choosing else Z
            quantity = EXPECTED_Z if view.run.expected else quantity
            means = _differences(view, one, other, quantity)
            if means is not None:
                at = _at(view, strength, one, other)
                names = (one.label, other.label)
                judged = (anytime if view.run.until_decided else paired)(means)
                yield Answer(model, language, length, *names, quantity, judged, at, attack=attack or "")


def _differences(view: View, one: Place, other: Place, quantity: str) -> Floats | None:
    """Difference at each prompt that both have, (prompts,), the mean over seeds; ``None`` without any."""
    kind = EXPECTED if view.run.expected else "marked"
    first, second = (_by_text(view.run.of(place, kind), quantity) for place in (one, other))
    shared = sorted(first.keys() & second.keys())
    if not shared:
        return None
    values = np.array([first[text] - second[text] for text in shared])
    return prompt_means(values, np.array([prompt for prompt, _ in shared]))


def _by_text(tests: Tests, quantity: str) -> dict[tuple[int, int], float]:
    """Evidence by prompt and seed; a text that could not be tested has none."""
    values = tests.score if quantity == EVIDENCE else np.nan_to_num(tests.z)
    texts = zip(tests.prompt.tolist(), tests.seed.tolist(), strict=True)
    return dict(zip(texts, values.tolist(), strict=True))


def _at(view: View, strength: Strength, first: Place, second: Place) -> str:
    one, other = first.label, second.label
    if cost := strength.same_cost(one, other):
        return SAME.format(cost)
    if {one, other} & strength.choosing:
        paid = [view.values.cost(place, "surprisal") for place in (first, second)]
        if None in paid:
            return "with no common strength"
        said = " against ".join(map(_cost, paid))
        return f"for a surprisal of {said} nats a token"
    if strength.alike(one, other):
        return EQUAL
    if None in (strength.biases[one], strength.biases[other]):
        return "at a strength that was not measured"
    return "at unequal mean bias"


def _cost(paid: Estimate | None) -> str:
    """A cost in words: 0 where its interval holds that."""
    if paid is None or (paid.low is not None and paid.high is not None and paid.low <= 0 <= paid.high):
        return "0"
    return f"{paid.value:z.2f}"


def _needed(view: View, difference: Paired, count: int) -> int | None:
    if difference.sd == 0 or difference.mean == 0:
        return None
    by = pairs_to_decide if view.run.until_decided else pairs_needed
    needed = by(difference.mean, difference.sd, LEVEL / count)
    # Fewer than there are would have been enough, were the estimate not so vague.
    return None if needed is None else max(needed, difference.pairs + 1)


def _rounded(count: int) -> int:
    """The count rounded up to two digits: it is a rough number."""
    step: int = 10 ** max(0, len(str(count)) - 2)
    return -(-count // step) * step
