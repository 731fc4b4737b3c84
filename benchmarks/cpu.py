"""CPU seconds of generation with the embedded model: a thread that waits costs as one that works."""

from __future__ import annotations

import argparse
import resource
import time

import torch
from stela_models.generation.generate import Sampling, generate
from stela_models.load import load_model

import stela_core as stela
from benchmarks.texts import Texts, watermark
from stela_core.interfaces.logits import LanguageModel

BATCHES = (1, 8)
NEW_TOKENS = 50


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print CPU seconds and seconds on the clock: on all threads, and as ``stela generate`` runs."""
    mark = watermark("kgw", "en")
    tiny = load_model(stela.create_registry(), "tiny", "cpu")
    print(f"{NEW_TOKENS} tokens a text with tiny: CPU seconds (seconds on the clock)")
    allowed = torch.get_num_threads()
    for batch in BATCHES:
        # The plain call of transformers leaves the threads as they are.
        plain, suited = all_threads(mark, tiny, batch), ours(mark, tiny, batch)
        print(
            f"batch {batch:2}, {allowed} threads allowed: all of them {plain[0]:.1f} ({plain[1]:.1f}), "
            f"stela generate {suited[0]:.1f} ({suited[1]:.1f}), ratio {plain[0] / suited[0]:.1f}",
            flush=True,
        )


def all_threads(mark: stela.Watermark, tiny: LanguageModel, batch: int) -> tuple[float, float]:
    """CPU seconds and seconds of ``model.generate`` with the mark."""
    inputs = tiny.tokenizer(["The old bridge"] * batch, return_tensors="pt", return_token_type_ids=False)
    begun = now()
    tiny.model.generate(  # type: ignore[operator]
        **inputs,
        do_sample=True,
        top_k=0,
        max_new_tokens=NEW_TOKENS,
        min_new_tokens=NEW_TOKENS,
        logits_processor=[mark.logits_processor(tiny.tokenizer)],
    )
    return since(begun)


def ours(mark: stela.Watermark, tiny: LanguageModel, batch: int) -> tuple[float, float]:
    """CPU seconds and seconds of the same by ``stela generate``'s own function."""
    sampling = Sampling(max_new_tokens=NEW_TOKENS, min_new_tokens=NEW_TOKENS, temperature=1.0)
    begun = now()
    list(generate(mark, tiny, ["The old bridge"] * batch, sampling, batch))
    return since(begun)


def now() -> tuple[float, float]:
    """CPU seconds of this process so far, and the clock."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime, time.perf_counter()


def since(begun: tuple[float, float]) -> tuple[float, float]:
    """Both, less what they were."""
    cpu, clock = now()
    return cpu - begun[0], clock - begun[1]
