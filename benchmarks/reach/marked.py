"""Marked texts with a key each, and what the model that wrote them said of every token: made, kept, read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from stela_ewd import modulus
from stela_models.load import load_model
from stela_models.logits import ModelLogits
from stela_models.prompts import encode_prompts

from benchmarks.repeats_texts import Case, KeyForEach, mark_of, prompts_of
from benchmarks.texts import registry
from stela_core.hashing.keys import format_key, parse_key
from stela_core.kernels.row_entropy import spike_entropies

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Marked:
    """One text marked by KGW, and its n tokens as its own model saw them after the prompt, unmarked."""

    language: str
    delta: float
    temperature: float
    key: int
    prompt: str
    ids: Sequence[int]
    spikes: Floats
    """Spike entropies at temperature 1, (n,): EWD's weights before their minimum is subtracted."""
    collisions: Floats
    """``sum p^2`` at the temperature of the draws, (n,)."""


def read(path: Path, limit: int | None = None) -> Iterator[Marked]:
    """The texts of a file that :func:`write` made."""
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file):
            if number == limit:
                return
            row = json.loads(line)
            yield Marked(
                row["lang"],
                row["delta"],
                row["temperature"],
                parse_key(row["key"]),
                row["prompt"],
                row["ids"],
                np.array(row["weights_ewd"]),
                np.array(row["collision_at_temperature"]),
            )


def write(path: Path, texts: Iterable[Marked]) -> None:
    """One object a line."""
    with path.open("w", encoding="utf-8") as file:
        for one in texts:
            row = {
                "lang": one.language,
                "delta": one.delta,
                "temperature": one.temperature,
                "key": format_key(one.key),
                "prompt": one.prompt,
                "ids": list(one.ids),
                "weights_ewd": one.spikes.tolist(),
                "collision_at_temperature": one.collisions.tolist(),
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def make(case: Case, model: str, data: Path | None, count: int, seed: int = 2026) -> Iterator[Marked]:
    """Texts of a case by a model, a key each.

    Args:
        case: language, delta, temperature above 0 and number of tokens.
        model: alias or folder.
        data: folder with ``prompts/LANGUAGE.jsonl.gz``; without it all have one prompt.
        count: texts.
        seed: of keys and draws.
    """
    import torch
    from transformers import GenerationConfig

    loaded = load_model(registry(), model)
    mark = mark_of("kgw", case.language, case.delta, model)
    keys = [int(k) for k in np.random.default_rng(seed).integers(0, 2**64, count, dtype=np.uint64)]
    prompts = prompts_of(case, count, data)
    config = GenerationConfig(  # type: ignore[no-untyped-call]
        max_new_tokens=case.tokens,
        min_new_tokens=case.tokens,
        do_sample=True,
        temperature=case.temperature,
        top_k=0,
        pad_token_id=loaded.tokenizer.pad_token_id,
        eos_token_id=loaded.model.generation_config.eos_token_id,
    )
    torch.manual_seed(seed)
    for start in range(0, count, 50):
        some = slice(start, start + 50)
        inputs = encode_prompts(loaded.tokenizer, prompts[some])
        with torch.inference_mode():
            out = loaded.model.generate(  # type: ignore[operator]
                **inputs, generation_config=config, logits_processor=[KeyForEach(mark, keys[some])]
            )
        rows = [np.array(row, dtype=np.int64) for row in out[:, inputs["input_ids"].shape[1] :].tolist()]
        seen = _seen(ModelLogits(*loaded), rows, prompts[some], case)
        for row, key, prompt, (spikes, collisions) in zip(rows, keys[some], prompts[some], seen, strict=True):
            yield Marked(
                case.language,
                case.delta,
                case.temperature,
                key,
                prompt,
                row.tolist(),
                spikes,
                collisions,
            )


def _seen(
    logits: ModelLogits, rows: list[npt.NDArray[np.int64]], prompts: list[str], case: Case
) -> list[tuple[Floats, Floats]]:
    """Spike entropies and collisions of all tokens of each text."""
    import torch

    values = [(np.zeros(len(row)), np.zeros(len(row))) for row in rows]
    positions = [np.arange(len(row)) for row in rows]
    for chunk in logits.chunks(rows, positions, logits.prefixes(prompts, len(rows))):
        part = slice(chunk.start, chunk.stop)
        spikes, collisions = values[chunk.text]
        spikes[part] = spike_entropies(chunk.logits, modulus(case.delta, 0.5))
        likely = torch.softmax(chunk.logits.double() / case.temperature, dim=-1)
        collisions[part] = likely.square().sum(dim=-1).numpy()
    return values
