"""Green lists against the toolkits' own: transformers as installed, the other two restated on torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from stela_interop.lefthash import Lefthash
from stela_interop.markllm import MarkLlm
from stela_interop.selfhash import Selfhash
from transformers.generation.logits_process import WatermarkLogitsProcessor

import stela_core as stela

KEY = 15485863
SIZES = [1000, 50272, 151936]
"""Small; OPT's logits; Qwen's logits."""
KEYS = [KEY, 2**40 + 9, 2**64 - 59]
"""The default, and keys whose products pass 64 bits."""
CASES = list(zip(SIZES, KEYS, strict=True))


def randperm(seed: int, size: int) -> torch.Tensor:
    return torch.randperm(size, generator=torch.Generator().manual_seed(seed))


def contexts(size: int, width: int, count: int = 4) -> torch.Tensor:
    """Random ids, among them the first and the last of the vocabulary."""
    ids = torch.randint(size, (count, width), generator=torch.Generator().manual_seed(0))
    ids[0], ids[1] = 0, size - 1
    return ids


def check_lists(hasher: stela.GreenList, ids: torch.Tensor, size: int, theirs: Callable[..., Any]) -> None:
    """Equal on the whole vocabulary, with the list asked for at once and token by token."""
    tokens = np.arange(size)
    few = np.array([0, 5, size - 1])
    for seed, context in zip(hasher.seeds(ids.numpy()), ids, strict=True):
        expected = np.zeros(size, dtype=bool)
        expected[np.asarray(theirs(context))] = True
        assert (hasher.green(np.full(3, seed), few) == expected[few]).all()
        assert (hasher.green(np.full(size, seed), tokens) == expected).all()


@pytest.mark.parametrize("key", [*KEYS, 2**61 - 1])
@pytest.mark.parametrize("size", SIZES)
def test_lefthash_of_transformers(size: int, key: int) -> None:
    for width, gamma in ((1, 0.25), (3, 0.3)):
        hasher = Lefthash(Lefthash.Parameters(vocab_size=size, gamma=gamma, context_width=width), key)
        # Its table for selfhash takes longer than all else, and lefthash does not read it.
        theirs = WatermarkLogitsProcessor(size, "cpu", gamma, 2.0, key, "lefthash", width)
        check_lists(hasher, contexts(size, width), size, theirs._get_greenlist_ids)


@pytest.mark.slow
@pytest.mark.parametrize(("size", "key"), CASES)
@pytest.mark.parametrize("width", [1, 2, 4])
def test_selfhash_of_transformers(size: int, key: int, width: int) -> None:
    hasher = Selfhash(Selfhash.Parameters(vocab_size=size, gamma=0.4, context_width=width - 1), key)
    theirs = WatermarkLogitsProcessor(size, "cpu", 0.4, 2.0, key, "selfhash", width)
    check_candidates(hasher, contexts(size, width, 40), theirs._get_greenlist_ids)


@pytest.mark.slow
@pytest.mark.parametrize(("size", "key"), CASES)
def test_selfhash_of_lm_watermarking(size: int, key: int) -> None:
    table = randperm(2971215073, 1_000_003)

    def theirs(ids: torch.Tensor) -> torch.Tensor:
        """``anchored_minhash_prf`` and ``_get_greenlist_ids`` of its alternative_prf_schemes.py."""
        hashed = table[ids % 1_000_003] + 1
        prf = (key * hashed * hashed[-1]).min().item()
        return randperm(int(prf) % (2**64 - 1), size)[: int(size * 0.25)]

    parameters = Selfhash.Parameters(vocab_size=size, gamma=0.25, table_seed=2971215073, candidates=41)
    check_candidates(Selfhash(parameters, key), contexts(size, 4, 40), theirs)


def check_candidates(hasher: stela.GreenList, ids: torch.Tensor, theirs: Callable[..., Any]) -> None:
    """Each row is a context and a candidate."""
    rows = ids.numpy()
    expected = [int(row[-1]) in theirs(row).tolist() for row in ids]
    assert hasher.green(hasher.seeds(rows[:, :-1]), rows[:, -1]).tolist() == expected
    assert len(set(expected)) == 2


@pytest.mark.parametrize("scheme", ["time", "additive", "skip", "min"])
@pytest.mark.parametrize("width", [1, pytest.param(2, marks=pytest.mark.slow), 5])
@pytest.mark.parametrize(("size", "key"), CASES)
def test_kgw_of_markllm(size: int, key: int, width: int, scheme: str) -> None:
    order = randperm(key, size)

    def theirs(ids: torch.Tensor) -> torch.Tensor:
        """``_f_time`` .. ``_f_min`` and ``_get_greenlist_ids_left`` of its watermark/kgw/kgw.py."""
        last = [ids[-1 - i].item() for i in range(width)]
        product, total = 1, 0
        for number in last:
            product, total = product * number, total + number
        at = {"time": product % size, "additive": total % size, "skip": last[-1]}
        f = min(int(order[i]) for i in last) if scheme == "min" else int(order[int(at[scheme])])
        return randperm((key * f) % size, size)[: int(size * 0.5)]

    hasher = MarkLlm(MarkLlm.Parameters(vocab_size=size, context_width=width, f_scheme=scheme), key)
    check_lists(hasher, contexts(size, width, 3), size, theirs)


def test_golden_vectors() -> None:
    """Printed by the oracles above on torch 2.13.0 and transformers 5.23.0 (CPU), vocabulary 50272."""
    tokens = np.arange(100, 132)
    found = []
    for hasher in (
        Lefthash(Lefthash.Parameters(vocab_size=50272, gamma=0.25), KEY),
        Selfhash(Selfhash.Parameters(vocab_size=50272, gamma=0.25), KEY),
        Selfhash(Selfhash.Parameters(vocab_size=50272, gamma=0.25, table_seed=2971215073), KEY),
        MarkLlm(MarkLlm.Parameters(vocab_size=50272, context_width=2), KEY),
    ):
        context = np.array([[11, 22, 33][: hasher.context_width]])
        green = hasher.green(np.repeat(hasher.seeds(context), 32), tokens)
        found.append("".join("01"[bit] for bit in green.astype(int)))
    assert found == [
        "01010010101110000101110100001000",
        "10010001010101000000000000000000",
        "10010001000000001000000000100000",
        "10011100010100010111001010011101",
    ]


def test_coins_are_the_lists() -> None:
    """Contexts that share a list share a coin, or repetition would count as evidence."""
    wide = Lefthash(Lefthash.Parameters(vocab_size=100, context_width=2), KEY)
    seeds, tokens = wide.seeds(np.array([[1, 7], [2, 7], [7, 1]])), np.array([9, 9, 9])
    assert len(set(wide.coins(seeds, tokens).tolist())) == 2
    times = MarkLlm(MarkLlm.Parameters(vocab_size=100, context_width=2), KEY)
    seeds = times.seeds(np.array([[1, 7], [7, 1], [3, 5]]))
    assert len(set(times.coins(seeds, tokens).tolist())) == 2
    # The least product is often the same for contexts that share an id.
    own = Selfhash(Selfhash.Parameters(vocab_size=100), KEY)
    rows = np.random.default_rng(0).integers(0, 6, (200, 4))
    coins = own.coins(own.seeds(rows[:, :-1]), rows[:, -1])
    assert len(set(coins.tolist())) <= 6 * 6
    assert len({tuple(row) for row in rows.tolist()}) > 150
