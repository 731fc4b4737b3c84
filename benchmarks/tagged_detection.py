"""Detection by tagger: CPU time of one text and of many, texts per second of one core and of two."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import MethodType

import torch
from stela_models.tokenizer import load_tokenizer
from transformers import LlamaConfig, WatermarkDetector, WatermarkingConfig

import stela_core as stela
from benchmarks.interop import SIZES, each
from benchmarks.texts import Texts, registry
from benchmarks.two_cores import bound, peer_rate, rate
from stela_core.profile.create import Settings
from stela_core.registry.tagger_spec import make_tagger

TOKENS = 200
SINGLE = 20
"""Texts that are tested one by one, after as many that warm up."""
SLOW = 50
"""Texts of a call where each window is tagged by itself."""
PEER = 5
PEER_SHARED = 62
"""Texts for transformers' detector by cores, one of each process to warm up."""
WARM_UP = 100
"""Texts that workers test before they are timed."""
SECONDS = 30
"""Of one call, about: with slow taggers it has fewer texts."""
LANGUAGES = {
    "penn": "en",
    "penn:causal": "en",
    "ud-spacy:en": "en",
    "ud-spacy:ko": "ko",
    "ud-spacy:zh": "zh",
    "sejong": "ko",
    "sejong:causal": "ko",
    "ctb": "zh",
    "ctb:causal": "zh",
}


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print milliseconds of CPU time a text, alone and of many in a call; texts per second by cores."""
    torch.set_num_threads(1)
    for size in SIZES:
        theirs = WatermarkDetector(LlamaConfig(vocab_size=size), "cpu", WatermarkingConfig())
        documents = texts.documents("en", PEER + 1, TOKENS)
        detect = each(theirs)
        detect(documents[:1])
        ms = cpu_ms(lambda detect=detect, documents=documents: detect(documents[1:])) / PEER  # type: ignore[misc]
        name = f"transformers' WatermarkDetector (lefthash), {size:,} ids"
        shared = texts.documents("en", PEER_SHARED, TOKENS)
        one, two = (peer_rate(size, shared, cores) for cores in (1, 2))
        print(
            f"{name}: {ms:.1f} ms, texts/s on two cores / on one = {two:.1f} / {one:.1f} = {two / one:.2f}",
            flush=True,
        )
    print(f"ms of CPU time a text of {TOKENS} tokens, one core: windows one by one / together = ratio;")
    print("texts per second of stela detect, on two cores / on one = ratio of what CPU seconds allow")
    print(f"{'':14}{'one text':>24}{'many in a call':>26}{'texts/s':>32}{'texts':>8}")
    for name in args.taggers.split(","):
        count = args.many + 3 * SINGLE + WARM_UP
        print(row(name, texts.documents(LANGUAGES.get(name, "en"), count, TOKENS)), flush=True)


def row(name: str, documents: list[list[int]]) -> str:
    """The figures of a tagger, or of KGW, which has none."""
    with tempfile.TemporaryDirectory() as folder:
        profile = written(name, Path(folder) / "p.stela")
        mark = load(profile, name)
        strings = [mark.tokens.decode(ids) for ids in documents]
        warm_up, singles, others = (strings[i * SINGLE : (i + 1) * SINGLE] for i in range(3))
        before, many = strings[3 * SINGLE :][:WARM_UP], strings[3 * SINGLE + WARM_UP :]
        one_by_one(mark, warm_up)
        together = one_by_one(mark, singles)
        many = many[: round(1e3 * SECONDS / together)]
        in_a_call = cpu_ms(lambda: mark.detect_many(many)) / len(many)
        one, two = (rate(profile, before, many, cores) for cores in (1, 2))
        rates = f"{two:.0f} / {one:.0f} = {two / one:.2f} of {bound(profile, before, many):.2f}"
        if mark.contexts is None:
            return f"{name:14}{together:24.2f}{in_a_call:26.2f}{rates:>32}{len(many):8}"
        slow = load(profile, name)
        assert slow.contexts is not None
        tagger = slow.contexts.tagger
        tagger.last_tags_within = MethodType(stela.Tagger.last_tags_within, tagger)  # type: ignore[method-assign]
        one_by_one(slow, warm_up[:5])
        alone_slow = one_by_one(slow, singles)
        call_slow = cpu_ms(lambda: slow.detect_many(many[:SLOW])) / len(many[:SLOW])
        # Once more, in turn: other work on the machine comes and goes.
        together = min(together, one_by_one(mark, others))
    alone = f"{alone_slow:.2f} / {together:.2f} = {alone_slow / together:.1f}"
    call = f"{call_slow:.2f} / {in_a_call:.2f} = {call_slow / in_a_call:.1f}"
    return f"{name:14}{alone:>24}{call:>26}{rates:>32}{len(many):8}"


def one_by_one(mark: stela.Watermark, strings: Sequence[str]) -> float:
    """CPU milliseconds of a text."""
    return cpu_ms(lambda: [mark.detect(text) for text in strings]) / len(strings)


def cpu_ms(work: Callable[[], object]) -> float:
    """Milliseconds of this process's CPU time, all threads."""
    began = time.process_time()
    work()
    return 1e3 * (time.process_time() - began)


def written(name: str, path: Path) -> Path:
    """A profile of STELA with a tagger, or of KGW, with a fixed key, for the embedded model."""
    tagger = None if name == "kgw" else make_tagger(registry(), name)
    created = Settings("kgw" if tagger is None else "stela", language=LANGUAGES.get(name, "en")).create(
        registry(),
        load_tokenizer(registry(), "tiny"),
        2026,
        public=True,
        tagger=tagger,
    )
    created.archive.write(path)
    return path


def load(profile: Path, name: str) -> stela.Watermark:
    """The profile's mark, its tagger on one thread."""
    tagger = None if name == "kgw" else make_tagger(registry(), name, threads=1)
    return stela.load(profile, registry=registry(), tagger=tagger)
