"""SGLang's own numbers, for every golden vector."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stela_gumbel import sglang_hash
from stela_gumbel.sglang import Sglang, SglangParameters
from stela_gumbel.sglang_score import MOST_CONTEXTS, Statistics, detection
from stela_models.tokenizer import load_tokenizer

import stela_core as stela
from stela_core.api import Settings

GOLDEN: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "sglang.json").read_text(encoding="utf-8")
)


def test_hashes_are_equal() -> None:
    for case in GOLDEN["hash"]:
        key_a, key_b = int(case["key"], 16), int(case["key_b"], 16)
        contexts = sglang_hash.context_hashes(np.array([case["context"]]))
        assert contexts.tolist() == [case["context_hash"]]
        states = sglang_hash.row_states(key_a, contexts)
        assert sglang_hash.numbers(states, np.array([case["token"]])).tolist() == [case["token_hash"]]
        assert sglang_hash.coins(key_a, key_b, contexts).tolist() == [case["coin"]]


def hasher_of(case: dict[str, Any]) -> Sglang:
    key = int(case["key"], 16)
    two = case["key_b"] is not None
    if two:
        key = key << 64 | int(case["key_b"], 16)
    mixing = case["mixing_probability"] if two else None
    parameters = SglangParameters(context_width=case["context_window"], mixing_probability=mixing)
    assert Sglang.key_words(parameters) == 1 + two
    return Sglang(parameters, key)


def place(case: dict[str, Any]) -> tuple[np.ndarray[Any, np.dtype[np.int64]], list[int]]:
    """Ids with the prompt's end in front, and the scored positions by the rule in words."""
    width, prompt = case["context_window"], case["prompt_token_ids"]
    ids = prompt[-width:] + case["token_ids"]
    start = len(prompt[-width:]) if prompt else width
    seen: set[tuple[int, ...]] = set()
    positions = []
    for position in range(start, len(ids)):
        context = tuple(ids[max(0, position - width) : position])
        if context not in seen:
            positions.append(position)
        seen.add(context)
    return np.array(ids), positions


def check(own: Statistics, theirs: dict[str, Any]) -> None:
    assert own.num_contexts == theirs["num_contexts"]
    assert own.score == pytest.approx(theirs["score"], abs=1e-9, rel=0)
    assert own.z_score == pytest.approx(theirs["z_score"], abs=1e-9, rel=0)
    assert own.log_p_value == pytest.approx(theirs["log_p_value"], abs=1e-9, rel=0)
    assert own.p_value == pytest.approx(theirs["p_value"], rel=1e-9)


@pytest.mark.parametrize("case", GOLDEN["detect"], ids=lambda case: f"{case['language']}-{case['key']}")
def test_the_whole_result_is_equal(case: dict[str, Any]) -> None:
    hasher, theirs = hasher_of(case), case["result"]
    ids, positions = place(case)
    at = np.array(positions)
    contexts = hasher.seeds(hasher.contexts(ids, at)).astype(np.uint32)
    own = detection(hasher.keys, contexts, ids[at], case["mixing_probability"])
    for field, statistics in own._asdict().items():
        if theirs[field] is None:
            assert statistics is None
        else:
            check(statistics, theirs[field])
    beside = hasher.foreign_scores(ids, at)
    assert beside["SGLang log p"] == pytest.approx(theirs["combined"]["log_p_value"], abs=1e-9)
    assert len(beside) == (4 if case["key_b"] is None else 8)
    # The signals that our p-value rests on are below SGLang's scores, by next to nothing.
    signal = float(hasher.draws(hasher.seeds(hasher.contexts(ids, at)), ids[at]).sum())
    assert theirs["combined"]["score"] - 1e-4 < signal <= theirs["combined"]["score"]


def test_a_prompt_shorter_than_the_context_gives_shorter_contexts() -> None:
    hasher = Sglang(SglangParameters(), 42)
    contexts = hasher.contexts(np.array([5, 6, 7]), np.array([1, 2]))
    assert contexts.tolist() == [[-1, -1, -1, 5], [-1, -1, 5, 6]]
    shorter = [sglang_hash.context_hashes(np.array([one]))[0] for one in ([5], [5, 6])]
    assert hasher.seeds(contexts).tolist() == shorter


def test_nothing_is_said_of_contexts_that_are_not_known() -> None:
    hasher = Sglang(SglangParameters(), 42)
    assert hasher.foreign_scores(np.array([5, 6, 7, 8, 9]), np.arange(5)) == {}
    assert hasher.foreign_scores(np.array([5, 6, 7, 8, 9]), np.array([4]))["SGLang score"] > 0
    assert hasher.foreign_scores(np.array([5, 6]), np.empty(0, dtype=np.intp))["SGLang p-value"] == 1


def test_no_more_than_4096_contexts_count() -> None:
    rng = np.random.default_rng(0)
    contexts, tokens = rng.integers(0, 2**32, 5000, dtype=np.uint32), rng.integers(0, 1000, 5000)
    own = detection((42,), contexts, tokens, 0.5)
    assert own == detection((42,), contexts[:MOST_CONTEXTS], tokens[:MOST_CONTEXTS], 0.5)
    assert Sglang(SglangParameters(), 42).most_contexts == own.combined.num_contexts == 4096


def test_a_row_with_a_likely_token_is_not_marked() -> None:
    """In torch and in numpy."""
    torch = pytest.importorskip("torch")
    hasher = Sglang(SglangParameters(max_probability=0.7), 42)
    scores = torch.tensor([[0.6, 0.3, 0.1], [0.8, 0.1, 0.1]]).log()
    seeds = hasher.seeds(np.array([[1, 2, 3, 4], [2, 3, 4, 5]]))
    for out in (hasher.mark(scores, seeds, 3), torch.from_numpy(hasher.mark_array(scores.numpy(), seeds, 3))):
        assert torch.isfinite(out[0]).sum() == 1
        assert torch.equal(out[1], scores[1])


def test_each_context_is_marked_by_the_key_of_its_coin() -> None:
    torch = pytest.importorskip("torch")
    keys = 0x0123456789ABCDEF, 0xFEDCBA9876543210
    both = Sglang(SglangParameters(mixing_probability=0.25), keys[0] << 64 | keys[1])
    contexts = np.random.default_rng(0).integers(0, 1000, (1000, 4))
    seeds = both.seeds(contexts)
    with_a = sglang_hash.takes_a(*keys, seeds.astype(np.uint32), 0.25)
    assert abs(with_a.mean() - 0.25) < 5 * (0.1875 / 1000) ** 0.5
    scores = torch.zeros(1000, 40)
    out = both.mark(scores, seeds, 40).numpy()
    alone = [Sglang(SglangParameters(), key).mark(scores, seeds, 40).numpy() for key in keys]
    assert (out == np.where(with_a[:, None], *alone)).all()


def test_two_keys_of_a_stranger_are_chosen_one_after_the_other(
    registry: stela.Registry, tmp_path: Path
) -> None:
    """A coin, then key A for its half of the contexts, then key B for the other: 2**96 marks in all."""
    for mixing, choices in ((None, 1.0), (0.5, 2.0**96)):
        created = Settings(
            "gumbel-sglang", hasher_parameters={"mixing_probability": mixing} if mixing else {}
        ).create(
            registry,
            load_tokenizer(registry, "tiny"),
            (3 << 64) + 5 if mixing else 5,
            public=True,
        )
        path = tmp_path / "p.stela"
        created.archive.write(path)
        found = stela.load(path, registry=registry).detect(
            "The history of the city is long, and so is its river."
        )
        assert found.choices == pytest.approx(choices, rel=1e-9)
        assert (found.p_chosen is None) == (mixing is None)
