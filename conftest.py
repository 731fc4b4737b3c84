"""Fixtures for the tests of the core and of every plugin."""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Generator
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from itertools import cycle
from pathlib import Path, PurePosixPath
from random import Random, SystemRandom
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, Phase, settings
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import Scheduling

# Others use the cores, too: a pool of threads makes torch wait for itself, which costs ten times the CPU.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# What is remembered of profiles lies apart from the user's own, for commands in other processes too.
os.environ["STELA_STATE"] = tempfile.mkdtemp(prefix="stela-tests-")

from stela_testing.texts import ENGLISH, KOREAN

import stela_core as stela
from stela_core import errors
from stela_core.hashing import key_file, keys
from stela_core.text.token_bytes import TokenBytes
from tests.helpers import LengthTagger

# A guess of a key should cost 0.1 s, and does; tests that ask again for the same key and salt need not wait.
# Salts come in turn: the names of keys that tests share are computed twice, not once a profile.
key_file.scrypt = cache(key_file.scrypt)
SALTS = cycle(["00112233445566778899aabbccddeeff", "0f1e2d3c4b5a69788796a5b4c3d2e1f0"])
key_file.secrets = SimpleNamespace(token_hex=lambda _: next(SALTS))

# Hints say what they say of an index, not of the clone that the tests run in (tests/test_install_hints.py).
errors.CLONE = Path(os.devnull)

pytest_plugins = ["tests.costs", "tests.tiers"]

# How long an example takes says how busy the machine is, not whether the code is right.
settings.register_profile("any-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# What CI says of a change is about the change: the same examples each time. Elsewhere new ones are drawn.
settings.register_profile("same", settings.get_profile("any-machine"), derandomize=True)
# A failing example is not made smaller: which test fails is all that scripts/faults.py asks.
settings.register_profile(
    "first", settings.get_profile("any-machine"), phases=[Phase.explicit, Phase.reuse, Phase.generate]
)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "any-machine")
settings.load_profile(PROFILE)


class Bits:
    """Where new keys come from, unless a test fixes them (``tests.helpers.new_keys_are``)."""

    source: Random = SystemRandom()

    def __call__(self, bits: int) -> int:
        """A number of so many bits."""
        return self.source.getrandbits(bits)


keys.randbits = Bits()


def drawing(name: str) -> AbstractContextManager[Any]:
    """With the same examples, the same keys: those drawn in this process turn on who draws them alone.

    How far a text is from the threshold turns on its key, so that with new ones a test of many a thousand
    texts fails now and then for no fault; ``make test`` draws new ones, and has to pass as well.
    """
    return patch.object(Bits, "source", Random(ascii(name))) if PROFILE == "same" else nullcontext()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What was imported and collected lives to the end: the garbage collector need not walk it each time."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    """Whoever asks for it first, a fixture draws what it draws."""
    place = request.node.nodeid if fixturedef.scope == "function" else ""
    with drawing(f"{fixturedef.baseid} {fixturedef.argname} {getattr(request, 'param', '')} {place}"):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """A test draws the same alone and among others."""
    with drawing(item.nodeid):
        return (yield)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling | None:
    """``--dist loadscope``: a room's tests run in one worker, which alone makes what they share."""
    if config.getoption("dist") != "loadscope":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class ByRoom(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return str(PurePosixPath(nodeid.partition("::")[0]).parent)

    config.option.loadscopereorder = False  # the order of tests/tiers.py
    return ByRoom(config, log)


@pytest.fixture(scope="session")
def registry() -> stela.Registry:
    """The installed plugins."""
    return stela.create_registry()


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    """Byte-level BPE of 400 tokens: Korean characters are spread over up to three of them."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<end>", "<pad>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator([KOREAN, ENGLISH] * 3, trainer)
    return made


@pytest.fixture(scope="session")
def token_bytes(tokenizer: Tokenizer) -> TokenBytes:
    """The bytes of its tokens."""
    return TokenBytes.of(tokenizer)


@pytest.fixture
def length_tagger() -> LengthTagger:
    """A tagger in pure Python."""
    return LengthTagger()
