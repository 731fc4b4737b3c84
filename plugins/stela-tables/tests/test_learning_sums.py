"""Sums in bounded memory against dictionaries of all contexts: any shards, order, buffer, and resumption."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_tables.learning import finish as finish_module
from stela_tables.learning import run_file, sums
from stela_tables.learning.finish import Finished, finish
from stela_tables.learning.keys import longer, shorter, unit_hashes
from stela_tables.learning.observed import Observed, last_characters, last_tags
from stela_tables.learning.recipe import Recipe
from stela_tables.learning.records import RECORD, summed
from stela_tables.learning.shard import Shard, shard_of
from stela_tables.learning.sums import Sums
from stela_testing.texts import KOREAN

import stela_core as stela
from stela_core.text.prefix import tails_before_each
from stela_core.text.token_bytes import TokenBytes
from tests.tiers import examples

from .slow_learning import Means, Observation, mean_of, prune, smooth

observations = st.lists(
    st.builds(
        Observation,
        st.lists(st.sampled_from("abc"), max_size=5).map(tuple),
        st.integers(0, 1_000_000),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=60,
)

recipes = st.builds(
    Recipe,
    st.sampled_from(["expected-gain", "gumbel-gain", "token-gini"]),
    st.integers(1, 4),
    st.sampled_from([0.0, 1.0, 3.0]),
    st.integers(1, 3),
    st.sampled_from([0.0, 0.02, 0.2]),
)


def slowly(observed: Sequence[Observation], recipe: Recipe) -> Finished:
    """The table as it is defined."""
    made = Means(observed, recipe.longest, recipe.counts_followers)
    values = smooth(made.means, made.counts, recipe.smoothing, recipe.minimum)
    if recipe.quantity == "gumbel-gain":
        values = {context: value / (1 + value) for context, value in values.items()}
    kept = prune(values, recipe.least * values[()])
    named = {"".join(context): value for context, value in kept.items()}
    return Finished(named, mean_of(kept, made.counts, recipe.longest))


def shard(part: Sequence[Observation], recipe: Recipe) -> Shard:
    gini = recipe.counts_followers
    values = np.array([0 if gini else one.value for one in part], dtype=np.int64)
    followers = np.array([one.token for one in part], dtype=np.int64) if gini else None
    before = last_tags([one.before for one in part], recipe.longest)
    return shard_of(Observed(before, values, followers=followers))


def cut(observed: Sequence[Observation], rng: random.Random) -> list[Sequence[Observation]]:
    """Some pieces that are not empty, in any order."""
    ends = sorted({0, len(observed), *(rng.randrange(len(observed)) for _ in range(4))})
    pieces = [observed[a:b] for a, b in pairwise(ends)]
    rng.shuffle(pieces)
    return pieces


@examples(60)
@given(observations, recipes, st.randoms(use_true_random=False), st.sampled_from([1, 2_000, 1 << 30]))
def test_any_shards_give_the_table_as_defined(
    observed: list[Observation], recipe: Recipe, rng: random.Random, buffer: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        held = Sums(Path(folder) / "p", recipe.longest, recipe.counts_followers, buffer=buffer)
        for part in cut(observed, rng):
            held.add(shard(part, recipe))
        held.checkpoint()
        assert finish(held, recipe) == slowly(observed, recipe)


@examples(20)
@given(observations, recipes, st.randoms(use_true_random=False))
def test_sums_are_the_same_however_often_work_goes_on(
    observed: list[Observation], recipe: Recipe, rng: random.Random
) -> None:
    """A process for each shard; what is in memory after the last checkpoint is lost, and comes again."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sums, "FAN", 2)
        patch.setattr(run_file, "GROUP", 5)
        path = Path(folder) / "p"
        for number, part in enumerate(cut(observed, rng)):
            held = Sums(path, recipe.longest, recipe.counts_followers)
            assert held.place == ([number] if number else None)
            held.add(shard(part, recipe), [number + 1])
            held.checkpoint()
            lost = Sums(path, recipe.longest, recipe.counts_followers)
            lost.add(shard(part, recipe), [77])
            (path / "run-000099").write_bytes(b"half of")
        held = Sums(path, recipe.longest, recipe.counts_followers)
        assert not (path / "run-000099").exists()
        assert finish(held, recipe) == slowly(observed, recipe)
        sums.remove_sums(path)
        assert not path.exists()


def test_many_records_are_read_in_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(5)
    observed = [
        Observation(tuple(rng.choices("abcdefghijklmnop", k=rng.randint(0, 5))), rng.randint(0, 10**6))
        for _ in range(3_000)
    ]
    recipe = Recipe(longest=4, minimum=2, least=0.01)
    monkeypatch.setattr(run_file.groups_of, "__defaults__", (50,))
    assert len(run_file.groups_of(np.full(256, 30))) == 256
    assert run_file.groups_of(np.full(256, 25))[:2] == [(0, 2), (2, 4)]
    held = Sums(tmp_path / "p", 4, buffer=40_000)
    for start in range(0, 3_000, 100):
        held.add(shard(observed[start : start + 100], recipe))
    held.checkpoint()
    assert finish(held, recipe) == slowly(observed, recipe)


@given(st.lists(st.text(max_size=3), min_size=1, max_size=20), st.integers(0, 2**64 - 1))
def test_keys_are_undone(units: list[str], start: int) -> None:
    hashes = unit_hashes(units)
    keys = np.full(len(units), start, dtype=np.uint64)
    made = longer(keys, hashes)
    assert (shorter(made, hashes) == keys).all()
    assert len(set(made.tolist())) == len(set(units))


def test_characters_before_tokens(token_bytes: TokenBytes) -> None:
    """Also of tokens that end within a character, and not beyond the piece."""
    rng = random.Random(2)
    rows = [[rng.randrange(len(token_bytes)) for _ in range(40)] for _ in range(3)]
    rows += [[1, 2]]
    before = last_characters(rows, token_bytes, 5)
    wanted = [tail for ids in rows for tail in tails_before_each(ids, token_bytes, 5)[1:]]
    read = ["".join(before.units[n] for n in steps[::-1] if n >= 0) for steps in before.steps]
    assert read == wanted


def test_weighted_observations_count_as_often() -> None:
    before = last_tags([("x", "y"), ("y",)], 2)
    once = shard_of(Observed(last_tags([("x", "y")] * 3 + [("y",)], 2), np.array([5, 6, 7, 8])))
    made = shard_of(Observed(before, np.array([18, 8]), np.array([3, 1], dtype=np.uint32)))
    assert made.totals == once.totals == (4, 26, 1)
    for section, block in once.blocks.items():
        assert (block.records == made.blocks[section].records).all()


def test_a_record_takes_24_bytes() -> None:
    assert RECORD.itemsize == 24


def test_too_many_observations_are_said() -> None:
    keys, parts = np.zeros(2, dtype=np.uint64), np.zeros(2, dtype=np.uint8)
    with pytest.raises(stela.StelaError, match=r"more than 4,294,967,295 times"):
        summed(keys, keys.astype(int), np.zeros(2, dtype=int), np.array([2**32 - 1, 1]), parts)


def test_other_settings_are_refused(tmp_path: Path) -> None:
    Sums(tmp_path / "p", 2, settings={"longest": 2}).checkpoint()
    assert Sums(tmp_path / "p", 2, settings={"longest": 2}).totals == (0, 0, 0)
    with pytest.raises(stela.StelaError, match="begun with other settings") as caught:
        Sums(tmp_path / "p", 2, settings={"longest": 3})
    assert caught.value.hint == "give them again, or remove the folder to begin again"
    (tmp_path / "p" / "state.json").write_bytes(b"{")
    with pytest.raises(stela.StelaError, match="is corrupt"):
        Sums(tmp_path / "p", 2)


def test_files_of_others_stay(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "mine.txt").write_text("x")
    held = Sums(folder, 1)
    held.add(shard([Observation(("a",), 1)], Recipe(longest=1)))
    held.checkpoint()
    sums.remove_sums(folder)
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]


def test_tables_that_no_reader_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finish_module, "MAX_VALUES", 3)
    recipe = Recipe(longest=1, minimum=1, least=0.0)
    held = Sums(tmp_path / "p", 1)
    held.add(shard([Observation((c,), n * 1000) for n, c in enumerate("abcd")], recipe))
    held.checkpoint()
    with pytest.raises(stela.StelaError, match="more than 3 contexts") as caught:
        finish(held, recipe)
    assert "--least" in str(caught.value.hint)
    assert len(finish(held, Recipe(longest=1, minimum=1, least=0.9)).values) <= 3


def test_hangul_is_a_unit_each() -> None:
    assert len(set(unit_hashes(sorted(set(KOREAN))).tolist())) == len(set(KOREAN))
