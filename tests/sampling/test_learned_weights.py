"""A sampling mark whose evidence is weighed by a table learned for it: made, marked, found."""

from __future__ import annotations

from pathlib import Path

import pytest
from stela_kernels.philox.exponential import exponential_tail
from stela_models.generation.generate import Sampling, generate
from stela_models.load import load_model
from stela_tables.values import ValueTable

import stela_core as stela

PLUGIN = Path(__file__).with_name("plain_gumbel.py")


@pytest.mark.slow
def test_marked_by_one_and_weighed_by_a_table_for_it() -> None:
    registry = stela.create_registry([PLUGIN])
    marked = stela.create(
        "plain_gumbel+learned-text", "tiny", key="public", language="en", registry=registry, min_tokens=8
    )
    model = load_model(registry, "tiny", "cpu")
    [[text]] = generate(marked, model, ["The history of the city"], Sampling(60, 60, 0.7, 3), 1)
    table = marked.parts.evidence.table
    assert isinstance(table, ValueTable)
    assert table.quantity == "gumbel-gain"
    [evidence] = marked.detector.evidence([text.token_ids])
    assert len(set(evidence.weights.tolist())) > 5
    assert (evidence.weights < 1).all()
    detection = marked.detect_ids([text.token_ids])[0]
    # Each context is scored once: every group is a single token.
    assert detection.p_value == pytest.approx(exponential_tail(evidence.signal, evidence.weights), rel=1e-6)
    assert detection.p_value < 1e-6
    human = marked.detect("The council met on Monday to discuss the new bridge, and nobody disagreed.")
    assert human.p_value > 1e-3
