"""The keyed permutation of messages: exact, the same everywhere, and blind to what messages look like."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import pytest
from stela_payload.permutation import ROUNDS, codes_of, message_of, messages_of
from stela_testing.colours import mix_reference

KEY = 0x0123456789ABCDEF


def reference(message: int, bits: int, key: int) -> int:
    """The definition in Python's whole numbers."""
    low_bits, high_bits = (bits + 1) // 2, bits // 2
    low, high = message % (1 << low_bits), message >> low_bits
    for number in range(ROUNDS):
        words = key.to_bytes(8, "little")
        data, person = number.to_bytes(4, "little"), b"stela/message/1"
        digest = blake2b(data, digest_size=8, key=words, person=person).digest()
        round_key = int.from_bytes(digest, "little")
        if number % 2:
            high ^= mix_reference(round_key, low) % (1 << high_bits)
        else:
            low ^= mix_reference(round_key, high) % (1 << low_bits)
    return high << low_bits | low


@pytest.mark.parametrize("bits", range(1, 65))
def test_messages_come_back(bits: int) -> None:
    """For every number of bits, and as the definition has it."""
    messages = np.random.default_rng(bits).integers(0, 2**64, 200, dtype=np.uint64) >> np.uint64(64 - bits)
    messages[:2] = 0, (1 << bits) - 1
    codes = codes_of(messages, bits, KEY)
    assert int(codes.max()) >> bits == 0
    assert messages_of(codes, bits, KEY).tolist() == messages.tolist()
    assert codes[:20].tolist() == [reference(int(message), bits, KEY) for message in messages[:20]]
    assert message_of(int(codes[1]), bits, KEY) == (1 << bits) - 1


@pytest.mark.parametrize("bits", [1, 2, 7, 16])
def test_each_code_is_of_one_message(bits: int) -> None:
    codes = codes_of(np.arange(1 << bits, dtype=np.uint64), bits, KEY)
    assert sorted(codes.tolist()) == list(range(1 << bits))


def test_golden_codes() -> None:
    """For ever: of message 5 under two keys, and of the largest one."""
    five = np.array([5], dtype=np.uint64)
    found = [f"{int(codes_of(five, bits, KEY)[0]):x}" for bits in (8, 16, 24, 32, 40, 63, 64)]
    assert found == ["2f", "7027", "ea575b", "ef212947", "f7c97fcc30", "78101038e9fc94ce", "3123661a41ce2350"]
    assert f"{int(codes_of(five, 32, KEY + 1)[0]):x}" == "4d31adfb"
    assert f"{int(codes_of(np.array([2**64 - 1], dtype=np.uint64), 64, KEY)[0]):x}" == "968defad0156d5da"


@pytest.mark.parametrize("bits", [24, 32, 64])
@pytest.mark.parametrize("structure", ["counters", "a bit", "a byte", "two counters"])
def test_codes_of_alike_messages_share_as_few_bytes_as_random_ones(bits: int, structure: str) -> None:
    """Shared bytes are what lets two texts spell a third message: S / 256 of them on average, over keys."""
    count, trials = bits // 8, 500
    random = np.random.default_rng(bits)
    shared = 0
    for key in range(trials):
        first = (
            int(random.integers(0, 256)) if "counter" in structure else int(random.integers(0, 1 << bits - 1))
        )
        second = {
            "counters": first ^ int(random.integers(1, 256)),
            "a bit": first ^ 1 << int(random.integers(0, bits)),
            "a byte": first ^ int(random.integers(1, 1 << bits - 8)),
            "two counters": first ^ int(random.integers(1, 256)) << bits // 2,
        }[structure]
        difference = int(
            np.bitwise_xor.reduce(codes_of(np.array([first, second], dtype=np.uint64), bits, key))
        )
        shared += difference.to_bytes(count, "big").count(0)
    expected = trials * count / 256
    assert abs(shared - expected) < 5 * expected**0.5
