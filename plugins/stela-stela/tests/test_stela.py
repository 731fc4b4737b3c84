import numpy as np
import pytest
from stela_stela import Indeterminacy
from stela_tables.file import parse_table
from stela_tables.table import IndeterminacyTable
from stela_testing import WeightingContract

import stela_core as stela
from stela_core.api import Context, KeyedHasher, make_tagger
from stela_core.composition import compose, resolve_scheme


@pytest.fixture(scope="module")
def table(registry: stela.Registry) -> IndeterminacyTable:
    path = make_tagger(registry, "penn").tables()[4]
    return parse_table(path.read_bytes(), str(path))


class TestIndeterminacy(WeightingContract):
    @pytest.fixture(scope="class")
    @classmethod
    def weighting(cls, table: IndeterminacyTable) -> stela.Weighting:
        return Indeterminacy(Indeterminacy.Parameters(), table)

    @pytest.fixture(scope="class")
    @classmethod
    def contexts(cls) -> list[Context]:
        return [(), ("NN",), ("DT", "JJ", "NN"), ("no such tag",), (".", "DT", "NN")]

    def test_weights_are_lambda(
        self, weighting: stela.Weighting, contexts: list[Context], table: IndeterminacyTable
    ) -> None:
        found = weighting.weights(stela.Positions(len(contexts), contexts))
        assert found.tolist() == [table.lookup(context) for context in contexts]
        assert ((found >= 0) & (found <= 1)).all()
        assert len(np.unique(found)) > 2


@pytest.mark.parametrize("calibration", ["tokens", "types"])
def test_delta_is_the_mean_bias(
    registry: stela.Registry, table: IndeterminacyTable, calibration: str
) -> None:
    """delta / mean(lambda) * mean(lambda) = delta; the two calibrations differ (invariant 7)."""
    parts = resolve_scheme(registry, "stela")
    hasher = KeyedHasher(KeyedHasher.Parameters(), 1)
    made = compose(parts, {"delta": 1.5}, hasher, table, calibration)  # type: ignore[arg-type]
    mean = {"tokens": table.mean_over_tokens, "types": table.mean_over_types}[calibration]
    assert made.bias_per_weight * mean == pytest.approx(1.5)
    assert table.mean_over_tokens != pytest.approx(table.mean_over_types, rel=0.05)
