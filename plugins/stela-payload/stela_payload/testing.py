"""The contract of encoders: what holds for every one."""

from __future__ import annotations

import numpy as np
import pytest

from stela_core import Hasher, HasherParameters, StelaError
from stela_core.api import GroupedParameters, GroupedScorer, KeyedHasher
from stela_payload.interface import Message, ScoredTokens, SeedEncoder

TOKENS = 600
"""Tokens of the texts that are read."""


class EncoderContract:
    """Subclass it in a test, with a fixture that gives your encoder::

    class TestMine(EncoderContract):
        @pytest.fixture(scope="class")
        @classmethod
        def encoder(cls) -> SeedEncoder:
            return Mine(Mine.Parameters(bits=16))
    """

    mark: Hasher = KeyedHasher(HasherParameters(gamma=0.5, context_width=1), 0x0123456789ABCDEF)

    def text(self, encoder: SeedEncoder, message: int | None, seed: int) -> Message:
        """What is read of a text whose tokens are green under a message, or of any text."""
        random = np.random.default_rng(seed)
        seeds = random.integers(0, 2**63, TOKENS).astype(np.uint64)
        tokens = random.integers(0, 50_000, TOKENS)
        if message is not None:
            carrying = encoder.seeds(seeds, message, self.mark.key)
            for _ in range(12):
                red = self.mark.draws(carrying, tokens)[:, 0] == 0
                tokens[red] = random.integers(0, 50_000, int(red.sum()))
        scorer = GroupedScorer(GroupedParameters())
        weights, groups = np.ones(TOKENS), np.arange(TOKENS)
        return encoder.read(ScoredTokens(self.mark, seeds, tokens, weights, groups, scorer))

    def test_seeds_are_functions_of_seed_and_message(self, encoder: SeedEncoder) -> None:
        """Seeds are the same in any batch; the seeds given are left as they were."""
        seeds = np.random.default_rng(0).integers(0, 2**63, 50).astype(np.uint64)
        before, last = seeds.copy(), (1 << encoder.bits) - 1
        carrying = encoder.seeds(seeds, last, self.mark.key)
        assert carrying.dtype == np.uint64
        assert (seeds == before).all()
        assert (carrying[::-1] == encoder.seeds(seeds[::-1], last, self.mark.key)).all()
        assert (carrying != encoder.seeds(seeds, 0, self.mark.key)).any()

    @pytest.mark.parametrize("number", range(3))
    def test_messages_come_back(self, encoder: SeedEncoder, number: int) -> None:
        """A message comes back from a long text of green tokens; also among those that were issued."""
        message = int(np.random.default_rng(number).integers(0, 2**63)) & (1 << encoder.bits) - 1
        read = self.text(encoder, message, number)
        assert (read.value, read.bits, read.is_sure) == (message, encoder.bits, True)
        assert int(read.text, 16) == message
        assert read.error < 1e-3
        issued = encoder.among([message, message ^ 1])
        assert self.text(issued, message, number).value == message
        assert issued.choices == 2

    def test_nothing_is_sure_of_unmarked_text(self, encoder: SeedEncoder) -> None:
        """Whatever is best: no digit of it is shown."""
        read = self.text(encoder, None, 0)
        assert set(read.text) == {"?"}
        assert read.error > 1e-4

    def test_messages_have_their_bits(self, encoder: SeedEncoder) -> None:
        """One more is refused."""
        with pytest.raises(StelaError, match="is not one of"):
            encoder.among([1 << encoder.bits])
        with pytest.raises(StelaError, match="no message to look for"):
            encoder.among([])
