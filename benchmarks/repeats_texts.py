"""Marked texts with a key drawn for each: prose, code, lists and greedy loops, by the embedded model."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from transformers import GenerationConfig

from benchmarks.texts import PROMPTS, TAGGERS, needs_contexts, registry
from stela_core.insertion.marker import Marker
from stela_core.interfaces import Mark
from stela_core.models.load import load_model, load_tokenizer
from stela_core.models.logits import ModelLogits
from stela_core.models.prompts import encode_prompts
from stela_core.profile.create import Settings, create_profile
from stela_core.registry.tagger_spec import make_tagger
from stela_core.runner.cells.marks import with_key
from stela_core.watermark import Watermark

LANGUAGES = ("en", "zh", "ko")

CODE = (
    "def read_lines(path):\n    with open(path) as file:\n        for line in file:\n            ",
    "import os\nimport sys\n\ndef main():\n    parser = argparse.ArgumentParser()\n    parser.add_argument(",
    "class Node:\n    def __init__(self, value):\n        self.value = value\n        self.next = ",
    "for (int i = 0; i < n; i++) {\n    if (values[i] > largest) {\n        largest = ",
)
LISTS = (
    "Cities of the country:\n- Paris\n- London\n- ",
    "1. The first step is to\n2. The second step is to\n3. The",
    "| Name | Year | Place |\n|---|---|---|\n| Anna | 1990 | Berlin |\n| ",
    "Ingredients: 200 g of flour, 2 eggs, 100 g of sugar,",
)


@dataclass(frozen=True)
class Coloured:
    """What a scorer sees of one text."""

    green: npt.NDArray[np.bool_]
    weights: npt.NDArray[np.float64]
    groups: npt.NDArray[np.int64]


@dataclass(frozen=True)
class Case:
    """Texts of one kind by one scheme."""

    genre: str
    scheme: str
    language: str
    delta: float
    temperature: float
    tokens: int
    evidence: tuple[str, ...]
    """The schemes by which the same texts are weighed."""

    @property
    def label(self) -> str:
        """Genre, scheme and delta."""
        return f"{self.genre} {self.scheme} {self.delta:g}"


def cases() -> Iterator[Case]:
    """Prose in three languages by each scheme, and what repeats itself by KGW and by learned weights."""
    for delta in (2.0, 1.0):
        for language in LANGUAGES:
            yield Case(language, "kgw", language, delta, 0.7, 200, ("kgw", "kgw+ewd"))
            yield Case(f"greedy {language}", "kgw", language, delta, 0.0, 200, ("kgw",))
        yield Case("code", "kgw", "en", delta, 0.7, 200, ("kgw",))
        yield Case("list", "kgw", "en", delta, 0.7, 200, ("kgw",))
        for language in LANGUAGES:
            yield Case(language, "learned-text", language, delta, 0.7, 200, ("learned-text",))
            yield Case(f"greedy {language}", "learned-text", language, delta, 0.0, 200, ("learned-text",))
    for language in LANGUAGES:
        yield Case(f"long {language}", "kgw", language, 0.5, 0.7, 400, ("kgw",))
    for genre in ("code", "list"):
        yield Case(genre, "learned-text", "en", 1.0, 0.7, 200, ("learned-text",))
    for language in LANGUAGES:
        yield Case(language, "unigram", language, 1.0, 0.7, 200, ("unigram",))
        yield Case(language, "stela", language, 1.0, 0.7, 200, ("stela",))


class KeyForEach:
    """A logits processor whose rows have a key each."""

    def __init__(self, mark: Watermark, keys: list[int]) -> None:
        self._marker: Marker = mark.marker()
        self._width = mark.parts.hasher.context_width
        self._hashers = [keyed(mark, key) for key in keys]
        self._prompt: int | None = None

    def __call__(self, ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """The marked scores of a step."""
        if self._prompt is None:
            self._prompt = ids.shape[1]
        rows = ids[:, self._prompt :].numpy()
        step = self._marker.step(rows, scores)
        before = rows[:, rows.shape[1] - self._width :].astype(np.int64)
        seeds = step.seeds.copy()
        for number, (weight, hasher) in enumerate(zip(step.weights, self._hashers, strict=True)):
            if weight is not None:
                seeds[number] = hasher.seeds(before[number : number + 1])[0]
        return self._marker.apply(step._replace(seeds=seeds), scores)


def keyed(mark: Watermark, key: int) -> Mark:
    """The mark's hasher under another key."""
    return with_key(mark.parts, key).hasher


def mark_of(scheme: str, language: str, delta: float, model: str = "tiny") -> Watermark:
    """A watermark of a model; its key is of no use here."""
    tagger = make_tagger(registry(), TAGGERS[language]) if needs_contexts(scheme) else None
    settings = Settings(scheme, {"delta": delta}, language=language)
    tokenizer = load_tokenizer(registry(), model)
    created = create_profile(registry(), settings, tokenizer, 1, public=True, tagger=tagger)
    return Watermark(created.archive, None, registry(), opened=created.opened)


def prompts_of(case: Case, count: int, data: Path | None) -> list[str]:
    """Prompts of a case, the first ones of their kind."""
    if case.genre in ("code", "list"):
        kinds = CODE if case.genre == "code" else LISTS
        return [kinds[n % len(kinds)] for n in range(count)]
    if data is None:
        return [{**PROMPTS, "en": "The history of the city"}[case.language]] * count
    with gzip.open(data / "prompts" / f"{case.language}.jsonl.gz", "rt", encoding="utf-8") as file:
        prompts = [json.loads(line)["prompt"] for line in file]
    return [prompts[n % len(prompts)] for n in range(count)]


def marked(case: Case, mark: Watermark, keys: list[int], prompts: list[str], seed: int) -> list[list[int]]:
    """Token ids of a text for each prompt, each under its own key."""
    model, tokenizer = load_model(registry(), "tiny")
    sampled = case.temperature > 0
    config = GenerationConfig(  # type: ignore[no-untyped-call]
        max_new_tokens=case.tokens,
        min_new_tokens=case.tokens,
        do_sample=sampled,
        temperature=case.temperature if sampled else None,
        top_k=0 if sampled else None,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=model.generation_config.eos_token_id,
    )
    inputs = encode_prompts(tokenizer, prompts)
    torch.manual_seed(seed)
    with torch.inference_mode():
        out = model.generate(  # type: ignore[operator]
            **inputs, generation_config=config, logits_processor=[KeyForEach(mark, keys)]
        )
    rows: list[list[int]] = out[:, inputs["input_ids"].shape[1] :].tolist()
    return rows


def coloured(
    scheme: str, case: Case, mark: Watermark, rows: list[list[int]], keys: list[int], prompts: list[str]
) -> list[Coloured]:
    """What the scorer sees of texts weighed by a scheme, each under its key."""
    if scheme != case.scheme:
        mark = mark_of(scheme, case.language, case.delta)
    logits = ModelLogits(*load_model(registry(), "tiny")) if mark.needs_model_to_detect else None
    evidence = mark.detector.evidence(rows, logits, prompts if logits else None)
    texts = []
    for one, key in zip(evidence, keys, strict=True):
        own = mark.detector.with_composition(with_key(mark.parts, key)).recoloured(one)
        texts.append(Coloured(own.green, own.weights, own.groups))
    return texts
