"""What weightings over tables share, where a plugin's own tests do not reach."""

from __future__ import annotations

import pytest
from stela_tables.counts import NgramCounts, TaggerIdentity
from stela_tables.table import IndeterminacyTable
from stela_tables.values import Learned, ValueTable
from stela_tables.weightings import CountWeighting, ValueWeighting

import stela_core as stela
from stela_core.interfaces import Calibration, Context

TAGGER = TaggerIdentity("penn", "m", "1", "abc", "Penn", "en")
COUNTS = IndeterminacyTable.from_counts(
    2, TAGGER, {"news": NgramCounts(1, 4, {("A", "B"): 3, ("B", "A"): 1})}
)
VALUES = ValueTable(
    "gain", "characters", 2, {"": 800, "y": 500}, 790, Learned("tiny", ("news",), 3, 100, "by hand")
)


class Counted(CountWeighting):
    name = "counted"

    @property
    def look_up(self):  # type: ignore[no-untyped-def]
        return self.table.lookup

    def mean(self, calibration: Calibration) -> float:
        return self.table.mean(calibration)


class Valued(ValueWeighting):
    name = "valued"
    needs = frozenset({"text"})
    key = "characters"
    quantities = frozenset({"gain"})
    reads = "gain"
    command = "make one"


def test_each_position_is_looked_up() -> None:
    contexts: list[Context] = [("A",), ("A", "B"), ()]
    found = Counted(stela.Parameters(), COUNTS).weights(stela.Positions(3, contexts))
    assert found.tolist() == [COUNTS.lookup(context) for context in contexts]
    by_text = Valued(stela.Parameters(), VALUES)
    assert by_text.weights(stela.Positions(3, text=["may", "x", ""])).tolist() == [0.5, 0.8, 0.8]
    assert by_text.mean("tokens") == 0.79


def test_a_table_of_another_kind_is_refused_with_the_command_for_the_right_one() -> None:
    with pytest.raises(stela.StelaError, match="reads counts of tags"):
        Counted.check_table(VALUES)
    Counted.check_table(COUNTS)
    with pytest.raises(stela.StelaError, match="the table holds counts of tags") as caught:
        Valued.check_table(COUNTS)
    assert caught.value.hint == "make one"
    Valued.check_table(VALUES)
