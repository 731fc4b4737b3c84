"""Guesses per second at secret keys: from the profile, as it was and as it is, and from marked text."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from stela_run.cells.marks import with_key

import stela_core as stela
from benchmarks.texts import Texts, registry
from stela_core.hashing.keys import key_id
from stela_core.hashing.slow_keys import Passphrase, new_salt, slow_key_id
from stela_core.model_tokenizer import load_tokenizer
from stela_core.profile.archive import Archive
from stela_core.profile.create import create_profile
from stela_core.profile.settings import Settings

FOREIGN = 15_485_863
"""The key that other toolkits have unless told otherwise; smaller ones are tried first."""

WORDS = 1_300_000
"""Guesses of a small list: words with a capital, a year and a sign, such as "Watermark2026!"."""

TOKENS = 200


def rate(guess: Callable[[int], object], seconds: float) -> float:
    """Guesses per second on one core."""
    done, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        guess(done)
        done += 1
    return done / (time.perf_counter() - began)


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print rates on one core, and how long a small key and a small list of words last."""
    salt = new_salt()
    old_name = key_id(FOREIGN)
    watermark = stela.Watermark(foreign(), FOREIGN, registry())
    [evidence] = watermark.detector.evidence(texts.documents("en", 1, TOKENS))

    def by_text(key: int) -> object:
        detector = watermark.detector.with_composition(with_key(watermark.parts, key))
        return detector.judge(detector.recoloured(evidence)).p_value

    def slow(number: int) -> object:
        key = Passphrase(f"Watermark{number}!".encode()).key(salt)
        return slow_key_id(key, salt)

    fast = rate(lambda key: key_id(key) == old_name, 2)
    fast_words = rate(lambda n: key_id(Passphrase(f"Watermark{n}!".encode()).key(None)), 2)
    print(f"small foreign key, by its name in the profile, before: {line(fast, FOREIGN)}")
    print("... by the profile, now: it says nothing of the key (key_id null)")
    print(f"... by a marked text of {TOKENS} tokens, before and now: {line(rate(by_text, 5), FOREIGN)}")
    print(f"passphrase, before: {line(fast_words, WORDS)}")
    print(f"... now: {line(rate(slow, 5), WORDS)}")


def line(per_second: float, guesses: int) -> str:
    """A rate, and the time for so many guesses."""
    seconds = guesses / per_second
    shown = f"{seconds:.1f} s" if seconds < 600 else f"{seconds / 3600:.1f} h"
    return f"{per_second:,.1f} guesses/s, {shown} for {guesses:,}"


def foreign() -> Archive:
    """A profile with a green list of another toolkit."""
    settings = Settings(
        "uniform",
        gamma=0.25,
        hasher="interop-lefthash",
        hasher_parameters={"vocab_size": 8192},
        device="cpu",
    )
    tokenizer = load_tokenizer(registry(), "tiny")
    return create_profile(registry(), settings, tokenizer, FOREIGN, public=False, named=False).archive
