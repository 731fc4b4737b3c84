"""Numbers of a place: those a metric measured, else those its tests tell."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from stela_run.report.rates import Estimate, auc, mean_evidence, mean_z, nominal, size, tpr_at
from stela_run.report.read import Place, Run

RATE = 0.01
"""False positive rate of the report's tables and figures."""

BIAS, LOG_PERPLEXITY_DIFFERENCE = "bias", "log-perplexity-difference"


class Values:
    """Look numbers up, each worked out once.

    Args:
        run: the run.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._kept: dict[tuple[Place, str], Estimate | None] = {}

    def tpr(self, place: Place, negatives: str = "human") -> Estimate | None:
        """Share of marked texts found at 1 % false positives; negatives are ``human`` or ``model``."""
        return self._once(place, f"tpr@{RATE:g}:{negatives}")

    def nominal(self, place: Place) -> Estimate | None:
        """Share of marked texts with p <= 0.01; it needs no negatives."""
        return self._once(place, f"tpr@p<={RATE:g}")

    def size(self, place: Place) -> Estimate | None:
        """Share of the tests of unmarked text, human and the model's, with p <= 0.01."""
        return size(RATE, self._run.of(place, "human"), self._run.of(place, "model"))

    def auc(self, place: Place, negatives: str = "human") -> Estimate | None:
        """Area under the ROC curve."""
        return self._once(place, f"auc:{negatives}")

    def z(self, place: Place) -> Estimate | None:
        """Mean z of the marked texts."""
        return mean_z(self._run.of(place, "marked"))

    def evidence(self, place: Place) -> Estimate | None:
        """Mean -log10 p of the marked texts."""
        return mean_evidence(self._run.of(place, "marked"))

    def bias(self, place: Place) -> Estimate | None:
        """Mean bias that was applied to green logits (nats); the same before and after an attack."""
        return self.cost(place, BIAS)

    def cost(self, place: Place, name: str) -> Estimate | None:
        """What was measured of a text before an attack, which changes nothing of it."""
        for attack in dict.fromkeys([place.attack, self._run.untouched]):
            value = self.recorded(place._replace(attack=attack), name)
            if value is not None:
                return value
        return None

    def perplexity_ratio(self, place: Place) -> Estimate | None:
        """Perplexity of marked over unmarked text of the same prompts (geometric mean of ratios)."""
        log_ratio = self.recorded(place, LOG_PERPLEXITY_DIFFERENCE)
        if log_ratio is None:
            return None
        low, high = (None if end is None else exp(end) for end in log_ratio[1:])
        return Estimate(exp(log_ratio.value), low, high)

    def recorded(self, place: Place, name: str) -> Estimate | None:
        """What a metric measured: the mean over seeds, whose intervals are taken as independent."""
        estimates = [
            Estimate(value["value"], value["low"], value["high"])
            for record in self._run.by_place.get(place, [])
            if (value := record["values"].get(name)) is not None and value["value"] is not None
        ]
        return _mean(estimates) if estimates else None

    def _once(self, place: Place, name: str) -> Estimate | None:
        if (place, name) not in self._kept:
            self._kept[place, name] = self._found(place, name)
        return self._kept[place, name]

    def _found(self, place: Place, name: str) -> Estimate | None:
        # Tests of several seeds are taken together, which no metric can: it sees one cell.
        if len(self._run.by_place.get(place, [])) == 1:
            recorded = self.recorded(place, name)
            if recorded is not None:
                return recorded
        what, _, kind = name.partition(":")
        marked, negatives = self._run.of(place, "marked"), self._run.of(place, kind)
        if what.startswith("tpr@p"):
            return nominal(RATE, marked)
        return auc(marked, negatives) if what == "auc" else tpr_at(RATE, marked, negatives)


def _mean(estimates: Sequence[Estimate]) -> Estimate:
    if len(estimates) == 1:
        return estimates[0]
    count = len(estimates)
    value = sum(one.value for one in estimates) / count
    if any(one.low is None or one.high is None for one in estimates):
        return Estimate(value)
    down = sum((one.value - (one.low or 0)) ** 2 for one in estimates) ** 0.5 / count
    up = sum(((one.high or 0) - one.value) ** 2 for one in estimates) ** 0.5 / count
    return Estimate(value, value - down, value + up)
