"""SBW: the package's own numbers for every golden vector, and the passes against plain Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import stela_interop.sbw
from hypothesis import given
from hypothesis import strategies as st
from stela_interop import sbw_seeds
from stela_interop.foreign_sbw import read_sbw
from stela_interop.sbw import Sbw
from stela_kernels.philox.of_tokens import token_words
from stela_models.tokenizer import load_tokenizer

import stela_core as stela
from stela_core.api import Detector, Settings

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "sbw.json").read_text(encoding="utf-8"))
CASES = pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: case["seeding_scheme"])
SIZE = 2048
LOW = 0xFFFFFFFF


def hasher_of(case: dict[str, Any], **others: Any) -> Sbw:
    """The mark as it is imported."""
    settings = {name: case[name] for name in ("gamma", "seeding_scheme", "hash_key")}
    foreign = read_sbw(json.dumps(settings))
    parameters = {"gamma": foreign.gamma, "context_width": foreign.context_width, **foreign.parameters}
    return Sbw(Sbw.Parameters(**{**parameters, **others}), foreign.key)


def unpacked(digits: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(digits), np.uint8), bitorder="little")
    return bits[:SIZE].astype(np.bool_)


def read_of(hasher: Sbw, contexts: list[list[int]]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Their selfhash drops the oldest id of the context."""
    return np.array(contexts)[:, len(contexts[0]) - hasher.context_width :]


def plain_hash(token: int) -> int:
    """The formula with Python's integers, kept to 32 bits after each line."""

    def signed(i: int) -> int:
        i &= LOW
        return i - (1 << 32) if i >> 31 else i

    i = signed(token + 1)
    i = signed(i - signed(i << 6))
    i = signed(i ^ (i >> 17))
    i = signed(i - signed(i << 9))
    i = signed(i ^ signed(i << 4))
    i = signed(i - signed(i << 3))
    i = signed(i ^ signed(i << 10))
    return signed(i ^ (i >> 15))


def plain_word(seed: int, token: int) -> int:
    """Philox4x32-10 in Python's integers."""
    c, k0, k1 = [token // 4, 0, 0, 0], seed & LOW, seed >> 32
    for _ in range(10):
        even, other = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [other >> 32 ^ c[1] ^ k0, other & LOW, even >> 32 ^ c[3] ^ k1, even & LOW]
        k0, k1 = (k0 + 0x9E3779B9) & LOW, (k1 + 0xBB67AE85) & LOW
    return c[token % 4]


def plain_green(scheme: str, key: int, gamma: float, context: list[int], token: int) -> bool:
    """Whether a token is green, by the definition."""
    if scheme == "lefthash":
        seed = key * sum(context)
    else:
        own = plain_hash(token)
        products = [key * plain_hash(x) * own for x in [*context, token]]
        seed = min((p + (1 << 63)) % (1 << 64) - (1 << 63) for p in products)
    return (plain_word(seed % (1 << 64), token) & 0x7FFFFFFF) < int(gamma * 0x7FFFFFFF)


def test_hashes_and_words_are_theirs() -> None:
    ids, hashes = np.array(GOLDEN["hashes"]).T
    assert sbw_seeds.hashed(ids).view(np.int64).tolist() == hashes.tolist()
    assert [plain_hash(i) for i in ids.tolist()] == hashes.tolist()
    seeds, tokens, words = zip(*GOLDEN["words"], strict=True)
    assert token_words(np.array(seeds, dtype=np.uint64), np.array(tokens)).tolist() == list(words)
    assert [plain_word(*pair) for pair in zip(seeds, tokens, strict=True)] == list(words)


@CASES
@pytest.mark.parametrize("compiled", [True, False])
def test_lists_are_theirs(case: dict[str, Any], compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not compiled:
        monkeypatch.setattr(stela_interop.sbw, "compiled", lambda: None)
    else:
        assert stela_interop.sbw.compiled() is not None
    hasher = hasher_of(case)
    for seed, digits in zip(hasher.seeds(read_of(hasher, case["contexts"])), case["lists"], strict=True):
        assert (hasher.listed(SIZE, seed) == unpacked(digits)).all()


@CASES
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_the_same_logits_are_raised(case: dict[str, Any], dtype: str) -> None:
    """Theirs were 5 sin(0.7 id) + 1e-4 id: all differ, so the likeliest are the same ones."""
    torch = pytest.importorskip("torch")
    hasher = hasher_of(case)
    ids = torch.arange(SIZE)
    row = 5 * torch.sin(0.7 * ids.double()).float() + ids * 1e-4
    seeds = hasher.seeds(read_of(hasher, case["contexts"]))
    kind = getattr(torch, dtype)
    scores = row.to(kind).repeat(3, 1)
    out = hasher.add_bias(scores, seeds, [1.7, 0.0, 1.7], SIZE)
    assert torch.equal(out[1], scores[1])
    for place in (0, 2):
        raised = torch.from_numpy(unpacked(case["biased"][place]))
        # Rounded to 16 bits, the 60th and the 61st may be equal.
        if dtype == "float32" or hasher.parameters.candidates is None:
            assert torch.equal(out[place], scores[place] + raised.to(kind) * 1.7)
    if dtype == "float32":
        array = hasher.add_bias_to_array(scores.numpy(), seeds, [1.7, 0.0, 1.7], SIZE)
        assert array.tobytes() == out.numpy().tobytes()


@CASES
def test_statistic_is_theirs(case: dict[str, Any]) -> None:
    hasher = hasher_of(case)
    for text in case["texts"]:
        ids = np.array(text["ids"])
        positions = np.arange(hasher.context_width, len(ids))
        seeds = hasher.seeds(hasher.contexts(ids, positions))
        assert hasher.green(seeds, ids[positions]).tolist() == [c == "1" for c in text["mask"]]
        beside = hasher.foreign_scores(ids, positions)
        assert beside["SBW z"] == pytest.approx(text["z"], abs=1e-9, rel=0)
        assert beside["SBW p-value"] == pytest.approx(text["p"], rel=1e-9)


@given(
    scheme=st.sampled_from(["selfhash", "lefthash"]),
    context=st.lists(st.integers(0, 2**21 - 1), min_size=1, max_size=3),
    key=st.integers(0, 2**64 - 1),
    gamma=st.floats(0.01, 0.99),
    first=st.integers(0, 2**21 - 40),
)
def test_colours_are_the_definition(
    scheme: Any, context: list[int], key: int, gamma: float, first: int
) -> None:
    hasher = Sbw(Sbw.Parameters(scheme=scheme, context_width=len(context), gamma=gamma), key)
    tokens = np.arange(first, first + 40)
    seeds = np.repeat(hasher.seeds(np.array([context])), 40)
    expected = [plain_green(scheme, key, gamma, context, token) for token in tokens.tolist()]
    assert hasher.green(seeds, tokens).tolist() == expected
    if first < SIZE:
        assert hasher.listed(first + 40, seeds[0])[first:].tolist() == expected


def test_one_seed_for_many_contexts_is_one_coin() -> None:
    """Under selfhash the token's own term is the least of four for a quarter of all contexts."""
    hasher = Sbw(Sbw.Parameters(), 15485863)
    contexts = np.random.default_rng(0).integers(0, 8192, (4000, 3))
    tokens = np.full(4000, 77)
    seeds = hasher.seeds(contexts)
    assert len(np.unique(seeds)) == 4000
    coins, green = hasher.coins(seeds, tokens), hasher.green(seeds, tokens)
    values, counts = np.unique(coins, return_counts=True)
    common = values[counts.argmax()]
    assert int(common) == hasher.key * plain_hash(77) ** 2 % 2**64
    assert len(set(green[coins == common].tolist())) == 1


@pytest.mark.slow
def test_the_detector_scores_the_same_tokens(registry: stela.Registry) -> None:
    """Whole way: a profile, their ids, and their z beside ours."""
    compared = 0
    for case in GOLDEN["cases"]:
        hasher = hasher_of(case)
        settings = Settings(
            "uniform",
            gamma=case["gamma"],
            hasher=hasher.name,
            context_width=hasher.context_width,
            hasher_parameters=hasher.parameters.model_dump(exclude={"context_width", "gamma"}),
        )
        tokenizer = load_tokenizer(registry, "tiny")
        parts = settings.create(registry, tokenizer, case["hash_key"], True)
        text = case["texts"][0]
        if not all(map(parts.tokens.is_text, text["ids"])):
            continue
        [detection] = Detector(parts.composition, tokenizer, parts.tokens, None, 8, 1e-3).detect_ids(
            [text["ids"]]
        )
        assert detection.foreign_scores["SBW z"] == pytest.approx(text["z"], abs=1e-9, rel=0)
        compared += 1
    assert compared > 3
