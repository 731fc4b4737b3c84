"""``python -m benchmarks.reach``: what it says of weights, against plain definitions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.reach.marked import Marked, make, read, write
from benchmarks.reach.reader import Reader
from benchmarks.reach.share import Scored, ewd, gain_of_collision, scored, shares, uniform, z_of
from benchmarks.repeats_texts import Case
from stela_core.tables.freedom import expected_gain

CASE = Case("en", "kgw", "en", 2.0, 0.7, 24, ("kgw",))


@given(st.floats(0.01, 0.99), st.floats(0.3, 4))
def test_gain_of_a_distribution_of_that_shape(top: float, strength: float) -> None:
    """One likely token and many that are not: what is read off the logits is the same."""
    many = 4000
    likely = torch.full((1, many), (1 - top) / (many - 1), dtype=torch.float64)
    likely[0, 0] = top
    collision = np.array([float(likely.square().sum())])
    exact = expected_gain(torch.log(likely), 1.0, strength)
    assert gain_of_collision(collision, strength)[0] == pytest.approx(exact[0], abs=2e-2)


def one_of(ids: list[int], green: list[bool], groups: list[int], collisions: list[float]) -> Scored:
    """A text whose tokens but the first are scored."""
    n = len(ids)
    marked = Marked("en", 2.0, 0.7, 1, "p", ids, np.linspace(0.5, 0.9, n), np.array([0.0, *collisions]))
    return Scored(marked, "x" * n, list(range(n)), np.arange(1, n), np.array(green), np.array(groups))


def test_a_repeated_pair_counts_once_and_at_its_freest() -> None:
    repeated = one_of([1, 2, 1, 2], [True, False, True], [0, 1, 0], [0.1, 0.5, 1.0])
    z, expected = z_of(repeated, np.ones(3))
    stakes = np.array([2**0.25, 1.0])
    assert z == pytest.approx((stakes @ [0.5, -0.5]) / (0.5 * np.linalg.norm(stakes)))
    gains = gain_of_collision(np.array([0.1, 0.5]), 2.0 / 0.7)
    assert expected == pytest.approx((stakes @ gains) / (0.5 * np.linalg.norm(stakes)))


@pytest.fixture(scope="module")
def texts() -> list[Marked]:
    return list(make(CASE, "tiny", None, 6))


@pytest.mark.slow
def test_expected_z_is_what_is_drawn() -> None:
    """Mean z over many texts of short length, under keys and draws of their own."""
    rows = scored(list(make(CASE, "tiny", None, 200)), "tiny")
    z = np.array([z_of(one, uniform(one)) for one in rows])
    off = z[:, 0] - z[:, 1]
    assert abs(off.mean()) < 4 * off.std() / len(rows) ** 0.5 + 0.05


@pytest.mark.slow
def test_ends_of_the_way_and_the_writer_as_its_own_reader(texts: list[Marked], tmp_path: Path) -> None:
    write(tmp_path / "texts.jsonl", texts)
    rows = scored(list(read(tmp_path / "texts.jsonl")), "tiny")
    assert [one.marked.key for one in rows] == [one.key for one in texts]
    assert shares(rows, ewd)[1].value == pytest.approx(1)
    assert shares(rows, uniform)[2].value == pytest.approx(0)
    reader = Reader("tiny", 0.7)
    one = rows[0]
    ends = [one.ends[at] for at in one.positions]
    whole = reader.collisions(one.text, ends)
    # Shown more characters than there are, the reader sees the same; shown few, something else.
    assert reader.collisions(one.text, ends, 10_000) == pytest.approx(whole, abs=0.05)
    assert np.abs(reader.collisions(one.text, ends, 2) - whole).max() > 0.1
