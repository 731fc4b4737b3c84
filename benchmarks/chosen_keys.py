"""What whoever chooses a key can make of a text that nobody marked: part by part, by trying, by a tokenizer.

A key that enters every draw whole can only be tried: n keys give about 1 / n, whatever the mark. How many a
second one core tries is printed here, and what a key of parts gives, and a tokenizer whose ids are chosen.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from stela_gumbel import sglang_hash
from stela_gumbel.murmur import mixed
from stela_interop.randperm import RandpermHasher
from stela_interop.shuffles import first_of_permutation, permutation
from stela_synthid.hasher import SynthIdHasher
from stela_synthid.ngrams import MULTIPLIER

import stela_core as stela
from benchmarks.accusing import declaration
from benchmarks.texts import Texts, registry
from stela_core.detection.evidence import Evidence
from stela_core.files.fingerprint import sha256
from stela_core.hashing.colour import green
from stela_core.hashing.keys import joined, keyed_seeds, seed_of
from stela_core.model_tokenizer import load_tokenizer
from stela_core.profile.archive import Archive
from stela_core.profile.create import create_profile
from stela_core.profile.settings import Settings

Ids = npt.NDArray[np.int64]

SECONDS = 2.0
"""Of CPU that a rate is measured over."""

STATES = 1 << 12
"""SGLang's states that are looked at in one go."""


def profile_of(
    plugins: stela.Registry, scheme: str, key: int, hasher: str | None = None, **own: Any
) -> Archive:
    """A profile of the embedded model's tokenizer with a public key; nothing remembers it."""
    settings = Settings(scheme, hasher=hasher, hasher_parameters=own)
    return create_profile(plugins, settings, load_tokenizer(plugins, "tiny"), key, public=True).archive


def evidence_of(
    plugins: stela.Registry, made: Archive, text: str
) -> tuple[stela.Watermark, Evidence, Ids, Ids]:
    """Watermark and evidence of a text, hash contexts (n, width) and tokens (n,) of its scored tokens."""
    mark = stela.Watermark(made, None, plugins)
    [evidence] = mark.detector.evidence(mark.detector.ids_of([text]))
    ids = np.asarray(evidence.ids, dtype=np.int64)
    return mark, evidence, mark.parts.hasher.contexts(ids, evidence.positions), ids[evidence.positions]


def chosen_layers(plugins: stela.Registry, text: str, depth: int = 30, layers: str = "weighted") -> Archive:
    """A SynthID profile whose layers each have the shift of the table that gives the text most ones.

    A key is a shift modulo the table's size, the same work for every layer: one look at each shift.
    """
    own: dict[str, Any] = {"derived": False, "depth": depth, "layers": layers}
    made = profile_of(plugins, "synthid", joined(range(1, depth + 1)), **own)
    mark, _, contexts, tokens = evidence_of(plugins, made, text)
    hasher = mark.parts.hasher
    assert isinstance(hasher, SynthIdHasher)
    coins = np.unique(hasher.coins(hasher.seeds(contexts), tokens)).astype(np.intp)
    size = hasher.settings.table_size
    table = np.concatenate([hasher.table, hasher.table]).astype(np.int64)
    ones = np.zeros(size, dtype=np.int64)
    for coin in coins.tolist():
        ones += table[coin : coin + size]
    best = np.argsort(-ones, kind="stable")[:depth]
    inverse = pow(MULTIPLIER, -1, size)
    return profile_of(
        plugins, "synthid", joined([(shift - 1) * inverse % size for shift in best.tolist()]), **own
    )


def chosen_ids(plugins: stela.Registry, text: str) -> Archive:
    """A KGW profile whose tokenizer has other ids for the text's tokens: those that are green most."""
    made = profile_of(plugins, "kgw", 3)
    _, evidence, _, _ = evidence_of(plugins, made, text)
    ids = np.asarray(evidence.ids, dtype=np.int64).tolist()
    spare = np.arange(len(json.loads(made.tokenizer)["model"]["vocab"]), dtype=np.int64)
    free = np.ones(len(spare), dtype=np.bool_)
    free[:8] = False  # special ones stay
    seeds = keyed_seeds(3, spare[:, None])
    new: dict[int, int] = {}
    follows = sorted(set(pairwise(ids)))
    for token in dict.fromkeys(ids):
        votes = np.zeros(len(spare), dtype=np.int64)
        for before, after in follows:
            if after == token and before in new:
                votes += green(np.full(len(spare), seeds[new[before]]), spare, 0.5)
            elif before == token and after in new:
                votes += green(seeds, np.full(len(spare), new[after]), 0.5)
        new[token] = int(np.where(free, votes, -1).argmax())
        free[new[token]] = False
    rest = iter(np.flatnonzero(free).tolist())
    content = json.loads(made.tokenizer)
    vocabulary = content["model"]["vocab"]
    for word, number in sorted(vocabulary.items(), key=lambda item: item[1]):
        if number >= 8:
            vocabulary[word] = new[number] if number in new else next(rest)
    tokenizer = json.dumps(content).encode()
    return Archive(made.profile.model_copy(update={"tokenizer_sha256": sha256(tokenizer)}), tokenizer, None)


def rate(attempt: Callable[[int], int]) -> float:
    """Keys a second of CPU, of a call that is given a number and says how many it tried."""
    attempt(0)
    began, done, number = time.process_time(), 0, 1
    while time.process_time() - began < SECONDS:
        done += attempt(number)
        number += 1
    return done / (time.process_time() - began)


def colour(mark: stela.Watermark, contexts: Ids, tokens: Ids, number: int) -> int:
    """Draws of a text's pairs under the key of some number: one key."""
    own = mark.parts.hasher
    hasher = type(own)(own.parameters, 1_000_003 * number + 7)
    hasher.draws(hasher.seeds(contexts), tokens)
    return 1


def whole_keys(plugins: stela.Registry, text: str) -> dict[str, Callable[[int], int]]:
    """By mark: colours of the text's pairs under the key of some number, with the plugin's own code."""
    made = {
        "kgw": profile_of(plugins, "kgw", 3),
        "unigram": profile_of(plugins, "unigram", 3),
        "gumbel": profile_of(plugins, "gumbel", 3),
        "gumbel-vllm": profile_of(plugins, "gumbel-vllm", 3),
        "synthid, derived": profile_of(plugins, "synthid", 3),
        "exp": profile_of(plugins, "exp", 3),
    }
    for name in ("lefthash", "selfhash", "markllm"):
        own = {"vocab_size": 8192}
        made[f"interop-{name}"] = profile_of(plugins, "uniform", 3, f"interop-{name}", **own)
    attempts: dict[str, Callable[[int], int]] = {}
    for name, one in made.items():
        mark, _, contexts, tokens = evidence_of(plugins, one, text)
        attempts[name] = partial(colour, mark, contexts, tokens)
    return attempts


def at_once(plugins: stela.Registry, text: str) -> dict[str, Callable[[int], int]]:
    """The same for marks whose hash lets a maker colour many keys at once."""
    _, _, contexts, tokens = evidence_of(plugins, profile_of(plugins, "unigram", 3), text)
    distinct = np.unique(tokens)

    def unigram(number: int) -> int:
        seed = np.uint64(seed_of(number, ()))
        green(np.full(len(distinct), seed), distinct, 0.5).sum()
        return 1

    size = 8192
    made = profile_of(plugins, "uniform", 3, "interop-markllm", vocab_size=size)
    mark, _, contexts, tokens = evidence_of(plugins, made, text)
    assert isinstance(mark.parts.hasher, RandpermHasher)
    last = contexts[:, -1] % size
    # All seeds are below the vocabulary's size: one list for each, and every key looks its colours up there.
    words, place = np.unique(tokens, return_inverse=True)
    lists = np.array([first_of_permutation(seed, size, size // 2)[words] for seed in range(size)])

    def markllm(number: int) -> int:
        permuted = permutation(number, size)[last]
        seeds = np.arange(size)[:, None] * permuted % size
        lists[seeds, place].sum(axis=1).max()
        return size

    _, _, contexts, tokens = evidence_of(plugins, profile_of(plugins, "gumbel-sglang", 3), text)
    hashes = sglang_hash.context_hashes(contexts)

    def sglang(number: int) -> int:
        states = np.arange(number * STATES, (number + 1) * STATES, dtype=np.uint32)[:, None]
        numbers = sglang_hash.numbers(mixed(states, hashes), tokens)
        (-np.log1p(-numbers / 2.0**32)).sum(axis=1).max()
        return STATES

    return {"unigram": unigram, "interop-markllm": markllm, "gumbel-sglang": sglang}


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print what a second, a minute and a day of one core buy, and what no time is needed for."""
    plugins = registry()
    text = declaration(plugins, 1500)
    makers: dict[str, Callable[[], Archive]] = {
        "SynthID, 30 layers chosen": partial(chosen_layers, plugins, text),
        "SynthID, 64 layers chosen, alike": partial(chosen_layers, plugins, text, 64, "mean"),
        "KGW, ids of the tokenizer chosen": partial(chosen_ids, plugins, text),
    }
    for what, make in makers.items():
        began = time.process_time()
        archive = make()
        took = time.process_time() - began
        detection = stela.Watermark(archive, None, plugins).detect(text)
        print(f"{what}: p-value {detection.p_value:.1e} after {took:.2f} s", flush=True)
    short = declaration(plugins, 900)
    for how, attempts in (("one by one", whole_keys(plugins, short)), ("at once", at_once(plugins, short))):
        for name, attempt in attempts.items():
            keys = rate(attempt)
            bought = ", ".join(f"{1 / (keys * seconds):.0e}" for seconds in (1, 60, 86_400))
            print(f"{name}, {how}: {keys:,.0f} keys/s; a second, a minute, a day give {bought}", flush=True)
