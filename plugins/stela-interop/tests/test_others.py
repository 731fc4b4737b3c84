"""Both ways with lm-watermarking and MarkLLM, whose processors and detectors are restated on torch."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import LogitsProcessor

import stela_core as stela
from stela_core.api import LanguageModel

pytestmark = pytest.mark.slow

Import = Callable[..., Path]
KEY, SIZE = 15485863, 8192


def randperm(seed: int, size: int) -> torch.Tensor:
    return torch.randperm(size, generator=torch.Generator().manual_seed(seed))


class Toolkit(LogitsProcessor):
    """What all of them do with a green list: ``_calc_greenlist_mask``, ``_bias_greenlist_logits``, z."""

    def __init__(self, lists: Callable[[torch.Tensor], torch.Tensor], gamma: float, width: int) -> None:
        self.lists, self.gamma, self.width = lists, gamma, width
        """``width`` ids seed a list; with ``candidates`` the last of them is the candidate itself."""
        self.candidates = 0

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        scores = scores.clone()
        for ids, row in zip(input_ids, scores, strict=True):
            if self.candidates:
                tried = row.sort(descending=True).indices[: self.candidates]
                green = [c for c in tried if c in self.lists(torch.cat([ids, c[None]])[-self.width :])]
                chosen = torch.tensor(green, dtype=torch.long)
            else:
                chosen = self.lists(ids[-self.width :])
            row[chosen] = row[chosen] + 2.0
        return scores

    def z(self, ids: torch.Tensor) -> float:
        own = 1 if self.candidates else 0
        grams = ids.unfold(0, self.width + 1 - own, 1)
        green = sum(int(g[-1]) in self.lists(g[len(g) - self.width - 1 + own :][: self.width]) for g in grams)
        return (green - self.gamma * len(grams)) / sqrt(len(grams) * self.gamma * (1 - self.gamma))


def simple_1() -> Toolkit:
    """lm-watermarking: ``additive_prf`` over one id."""
    return Toolkit(lambda ids: randperm(KEY * int(ids[-1]), SIZE)[: SIZE // 4], 0.25, 1)


def selfhash() -> Toolkit:
    """lm-watermarking: ``anchored_minhash_prf`` over four ids; 41 candidates (it stops after index 40)."""
    table = randperm(2971215073, 1_000_003)

    def lists(ids: torch.Tensor) -> torch.Tensor:
        hashed = table[ids % 1_000_003] + 1
        seed = int((KEY * hashed * hashed[-1]).min().item()) % (2**64 - 1)
        return randperm(seed, SIZE)[: SIZE // 4]

    made = Toolkit(lists, 0.25, 4)
    made.candidates = 41
    return made


def additive() -> Toolkit:
    """MarkLLM's KGW over two ids, ``f_scheme`` additive."""
    order = randperm(KEY, SIZE)
    return Toolkit(
        lambda ids: randperm(KEY * int(order[int(ids.sum()) % SIZE]) % SIZE, SIZE)[: SIZE // 2], 0.5, 2
    )


CASES: list[tuple[Callable[[], Toolkit], str, dict[str, Any]]] = [
    (simple_1, "lm-watermarking", {"seeding_scheme": "simple_1", "gamma": 0.25, "z_threshold": 3.0}),
    (selfhash, "lm-watermarking", {"seeding_scheme": "selfhash", "gamma": 0.25, "delta": 2.0}),
    (
        additive,
        "markllm",
        {
            "algorithm_name": "KGW",
            "gamma": 0.5,
            "delta": 2.0,
            "hash_key": KEY,
            "prefix_length": 2,
            "z_threshold": 4.0,
            "f_scheme": "additive",
            "window_scheme": "left",
        },
    ),
]


@pytest.mark.deep(keep=["simple_1"])
@pytest.mark.parametrize(("oracle", "name", "settings"), CASES, ids=["simple_1", "selfhash", "markllm"])
def test_both_ways(
    tiny: LanguageModel,
    import_profile: Import,
    oracle: Callable[[], Toolkit],
    name: str,
    settings: dict[str, Any],
) -> None:
    toolkit = oracle()
    watermark = stela.load(import_profile(name, settings))
    ours = watermark.logits_processor(tiny.tokenizer)
    model: Any = tiny.model
    for processor in (toolkit, ours):
        torch.manual_seed(1)
        prompt = tiny.tokenizer("The history of the city", return_tensors="pt", return_token_type_ids=False)
        options = {"max_new_tokens": 80, "min_new_tokens": 80, "do_sample": True, "top_k": 0}
        out = model.generate(**prompt, **options, logits_processor=[processor])
        ids = out[0, prompt["input_ids"].shape[1] :]
        [detection] = watermark.detect_ids([ids.tolist()])
        expected = toolkit.z(ids)
        assert detection.z_plain == pytest.approx(expected, abs=1e-6)
        assert expected > 4
        assert detection.verdict == "watermarked"
    scores = torch.randn(1, SIZE)
    ours.reset()
    for length in range(3, 8):
        found = ours(ids[None, :length], scores)
        enough = length >= 3 + watermark.profile.hasher.context_width
        assert torch.equal(found, toolkit(ids[None, :length], scores) if enough else scores)


def test_threshold_and_vocabulary(import_profile: Import) -> None:
    """z > 4 is a nominal 3.2e-5; both toolkits take the tokenizer's size, unless told another."""
    settings = CASES[2][2]
    profile = stela.load(import_profile("markllm", settings)).profile
    assert profile.alpha == pytest.approx(3.167e-5, rel=1e-3)
    assert profile.hasher.parameters == {"vocab_size": 8192, "f_scheme": "additive"}
    profile = stela.load(
        import_profile("markllm", settings, "--vocab-size", "8200", "--alpha", "0.01")
    ).profile
    assert profile.alpha == 0.01
    assert profile.hasher.parameters["vocab_size"] == 8200
