"""A small model, a mark, texts with it, and the model after training on them. torch waits until asked for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from stela_corpora import TextSource

import stela_core as stela
from stela_core.api import LanguageModel

KEY = "eb85e1b5530da896"
TRAINED, LENGTH = 120, 80
ONCE: Any = {"epochs": 1, "rate": 2e-3}
"""Each text is read once, at twice the usual rate: it shows as well as after three times."""


class Setting(NamedTuple):
    """What tests share."""

    model: LanguageModel
    watermark: stela.Watermark
    prompts: list[str]
    """Not those of the texts that were trained on."""
    trained: list[str]
    """The marked texts that were trained on."""
    marked: LanguageModel
    """The model after training on marked text."""


def prompts_of(registry: stela.Registry) -> list[str]:
    """Four words each, from the sample's English texts."""
    source = Path(registry.get(TextSource, "sample").location("en"))
    texts = [json.loads(line)["continuation"] for line in source.read_text(encoding="utf-8").splitlines()]
    words = [text.split() for text in texts]
    return [" ".join(text[at : at + 4]) for text in words for at in range(0, len(text) - 4, 8)]


def marked_texts(
    watermark: stela.Watermark,
    model: LanguageModel,
    prompts: Sequence[str],
    keys: Sequence[int] | None = None,
) -> list[list[int]]:
    from stela_models.generation.generate import Sampling, generate

    sampling = Sampling(LENGTH, LENGTH, seed=1)
    batches = generate(watermark, model, prompts, sampling, len(prompts), keys)
    return [text.token_ids for batch in batches for text in batch]


@pytest.fixture(scope="session")
def small(registry: stela.Registry) -> LanguageModel:
    from stela_models.load import load_model

    return load_model(registry, "tiny-small", device="cpu")


def mark(registry: stela.Registry, scheme: str = "kgw", **chosen: object) -> stela.Watermark:
    return stela.create(scheme, model="tiny-small", key=KEY, language="en", registry=registry, **chosen)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def setting(registry: stela.Registry, small: LanguageModel) -> Setting:
    from stela_audit.radioactivity.fine_tune import fine_tuned

    watermark, prompts = mark(registry, delta=3.0), prompts_of(registry)
    before, after = prompts[:TRAINED], prompts[TRAINED : TRAINED + 100]
    rows = marked_texts(watermark, small, before)
    texts = [watermark.tokens.decode(row) for row in rows]
    return Setting(small, watermark, after, texts, fine_tuned(small, rows, **ONCE))


@pytest.fixture(scope="session")
def plain(registry: stela.Registry, small: LanguageModel) -> LanguageModel:
    """The model after training on text of the same prompts without a mark."""
    from stela_audit.radioactivity.fine_tune import fine_tuned
    from stela_audit.radioactivity.suspect import Writing, answers

    before = prompts_of(registry)[:TRAINED]
    rows = answers(small, before, Writing(LENGTH, seed=2, batch_size=TRAINED))
    return fine_tuned(small, [row.tolist() for row in rows], **ONCE)
