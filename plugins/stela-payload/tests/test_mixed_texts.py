"""A text that mixes two messages names one of them, or nobody: never a third."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pytest
from stela_payload.encoder import Payload
from stela_payload.interface import Message, ScoredTokens

import stela_core as stela
from stela_core.api import GroupedParameters, GroupedScorer, KeyedHasher

COUNT = 480
"""Tokens of a text, all green under the message of their part."""

SCORER = GroupedScorer(GroupedParameters())
COUNTERS = [(0x00050007, 0x00090003), (0x00010001, 0x00020002), (0x00FF0001, 0x00020004)]
"""Pairs of 16-bit counters: a third number of their bytes is as good in every block."""

MIXED: dict[str, Callable[[int], npt.NDArray[np.intp]]] = {
    "halves": lambda count: np.arange(count) * 2 // count,
    "sentences": lambda count: np.arange(count) // 20 % 2,
    "tokens": lambda count: np.arange(count) % 2,
}
"""Which message each token holds."""


def read(messages: Sequence[int], of: npt.NDArray[np.intp], key: int, bits: int = 32) -> Message:
    mark, random = KeyedHasher(stela.HasherParameters(), key), np.random.default_rng(key)
    encoder = Payload(Payload.Parameters(bits=bits))
    seeds = random.integers(0, 2**64, len(of), dtype=np.uint64)
    tokens = random.integers(0, 60_000, len(of))
    carried = encoder.seeds_of(seeds, np.array(messages, dtype=np.uint64)[of], key)
    for _ in range(30):
        red = mark.draws(carried, tokens)[:, 0] == 0
        tokens[red] = random.integers(0, 60_000, int(red.sum()))
    return encoder.read(ScoredTokens(mark, seeds, tokens, np.ones(len(of)), np.arange(len(of)), SCORER))


@pytest.mark.deep(keep=["sentences-messages1", *(f"{how}-messages0" for how in MIXED)])
@pytest.mark.parametrize("messages", COUNTERS)
@pytest.mark.parametrize("how", MIXED)
def test_no_third_message_is_named(how: str, messages: tuple[int, int]) -> None:
    found = read(messages, MIXED[how](COUNT), key=7 + sum(messages))
    assert not found.is_sure or found.value in messages


def test_halves_that_name_different_messages_leave_none_for_the_whole() -> None:
    found = read(COUNTERS[0], MIXED["halves"](2 * COUNT), key=3)
    assert (found.mixed, found.text, found.error) == (True, "????????", 1.0)
    assert found.to_dict()["mixed"] is True


@pytest.mark.parametrize("bits", [16, 32])
def test_one_message_is_not_withheld(bits: int) -> None:
    found = read([5], np.zeros(COUNT, dtype=np.intp), key=3, bits=bits)
    assert (found.value, found.is_sure, found.mixed) == (5, True, False)
    assert "mixed" not in found.to_dict()


def test_a_profile_of_messages_without_a_permutation_is_refused() -> None:
    """In one line: its messages would be read as others."""
    wm = stela.create("gumbel", model="tiny", bits=16, key=1)
    content = wm.profile.model_dump(mode="json")
    del content["message"]["parameters"]["permutation"]
    from stela_core.api import Profile

    part = Profile.model_validate(content).message
    assert part is not None
    with pytest.raises(stela.StelaError, match="permutation: input should be 'keyed'") as caught:
        Payload.of_profile(part.bits, part.parameters, wm.parts.hasher)
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("bits", [32, 64])
def test_a_profile_of_messages_in_a_ring_is_refused(bits: int) -> None:
    """In one line: it names no code."""
    wm = stela.create("gumbel", model="tiny", bits=bits, key=1)
    with pytest.raises(stela.StelaError, match="n: value error, messages in a ring of bytes") as caught:
        Payload.of_profile(bits, {"most_error": 1e-4, "permutation": "keyed"}, wm.parts.hasher)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("bits", "n", "k", "says"),
    [
        (32, 3, 2, "messages of 32 bits have 4 to 16"),
        (64, 17, 4, "less than or equal to 16"),
        (64, 10, 2, "messages of 64 bits have 4"),
        (16, 2, 1, "messages of 16 bits have 1"),
    ],
)
def test_codes_that_are_not_known_are_refused(bits: int, n: int, k: int, says: str) -> None:
    wm = stela.create("gumbel", model="tiny", bits=bits, key=1)
    with pytest.raises(stela.StelaError, match=says) as caught:
        Payload.of_profile(bits, {"permutation": "keyed", "n": n, "k": k}, wm.parts.hasher)
    assert "\n" not in str(caught.value)


def test_a_profile_names_its_code() -> None:
    for bits, n, k in ((8, 1, 1), (24, 8, 2), (32, 8, 2), (40, 10, 4), (64, 10, 4)):
        part = stela.create("gumbel", model="tiny", bits=bits, key=1).profile.message
        assert part is not None
        assert (part.parameters["n"], part.parameters["k"]) == (n, k)
