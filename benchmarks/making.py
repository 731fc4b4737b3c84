"""Making a processor for a tokenizer of 262,144 ids, against comparing its vocabulary with the profile's."""

from __future__ import annotations

import argparse
import itertools
import statistics
import time

from tokenizers import Tokenizer, decoders, models, pre_tokenizers

import stela_core as stela
from benchmarks.texts import Texts, registry
from benchmarks.timing import median_ms
from stela_core.text.tokenizer import check_same_vocabulary

IDS = 262_144
"""As in Gemma 3."""

COPIES = 3


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print milliseconds of comparing, of the first processor for a tokenizer, and of the next ones."""
    tokenizer = byte_level(IDS)
    mark = stela.create("kgw", tokenizer=tokenizer, key="public", registry=registry())
    models_own = [Tokenizer.from_str(tokenizer.to_str()) for _ in range(COPIES)]
    comparing, first = [], []
    for model in models_own:
        began = time.perf_counter()
        check_same_vocabulary(tokenizer, model)
        comparing.append(1e3 * (time.perf_counter() - began))
        began = time.perf_counter()
        mark.logits_processor(model)
        first.append(1e3 * (time.perf_counter() - began))
    compared = statistics.median(comparing)
    following = median_ms(lambda: mark.logits_processor(models_own[0]), 100)
    print(f"{IDS:,} ids; milliseconds, and the ratio to comparing the vocabularies ({compared:.0f} ms)")
    for name, taken in (("first for a tokenizer", statistics.median(first)), ("each after it", following)):
        print(f"{name:22} {taken:10.4f} / {compared:.0f} = {taken / compared:.6f}")


def byte_level(ids: int) -> Tokenizer:
    """Byte-level BPE of that many tokens: all pairs of bytes, and then triples."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    pairs = [(a, b) for a in alphabet for b in alphabet]
    triples = ((a + b, c) for c in alphabet for a, b in pairs)
    merges = list(itertools.islice(itertools.chain(pairs, triples), ids - len(alphabet)))
    tokens = [*alphabet, *(a + b for a, b in merges)]
    made = Tokenizer(models.BPE({token: number for number, token in enumerate(tokens)}, merges))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    return made
