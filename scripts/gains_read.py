"""What biases gain and cost at each token of texts, by a model's own distributions, for scripts/gains.py.

    python -m scripts.gains_read --data DIR --model FOLDER --language CODE --first N --texts N --out FOLDER

Reads human continuations of ``DIR/prompts/CODE.jsonl.gz`` after their prompts, from number N on. Writes a
file for each text: its ids, and the effects (:mod:`stela_models.green_effects`) at all tokens but the first,
(tokens, temperatures, 3, strengths). A text that has its file is not read again. With ``--write T`` the model
writes the texts itself, and effects are of that temperature alone.
"""

from __future__ import annotations

import argparse
import gzip
import json
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from stela_models.green_effects import effects
from stela_models.logits import ModelLogits

from stela_core import load_model
from stela_core.api import backend_of

TEMPERATURES = (0.7, 1.0)
STRENGTHS = [n / 10 for n in range(41)] + [4 + n / 4 for n in range(1, 17)]
BATCH, GROUP, PIECE, CELLS = 16, 48, 16, 1 << 26


def pairs_of(data: Path, code: str, first: int, count: int) -> list[tuple[str, str]]:
    """Prompts and texts."""
    with gzip.open(data / "prompts" / f"{code}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in islice(lines, first, first + count)]
    return [(row["prompt"], row["continuation"]) for row in rows]


def main() -> None:
    """Read the texts of one language."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--language", required=True)
    parser.add_argument("--first", type=int, default=100)
    parser.add_argument("--texts", type=int, default=100)
    parser.add_argument("--tokens", type=int, default=200)
    parser.add_argument(
        "--write", type=float, help="let the model go on after the prompts, at this temperature"
    )
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    chosen.out.mkdir(parents=True, exist_ok=True)
    model = load_model(chosen.model)
    backend = backend_of(model.tokenizer)
    pairs = pairs_of(chosen.data, chosen.language, chosen.first, chosen.texts)
    todo = [n for n in range(len(pairs)) if not (chosen.out / f"{n:04}.npz").exists()]
    logits = ModelLogits(*model, batch=BATCH, cells=CELLS)
    with torch.inference_mode():
        for start in range(0, len(todo), GROUP):
            part = todo[start : start + GROUP]
            if chosen.write is None:
                read(model, logits, backend, pairs, part, chosen)
            else:
                write(model, [pairs[n][0] for n in part], part, chosen)
            print(f"{chosen.out.name}: {min(start + GROUP, len(todo))} of {len(todo)}", flush=True)


def read(model, logits, backend, pairs, numbers, chosen) -> None:  # type: ignore[no-untyped-def]
    """One batch of texts."""
    ids = [
        np.array(backend.encode(pairs[n][1], add_special_tokens=False).ids[: chosen.tokens], dtype=np.int64)
        for n in numbers
    ]
    places = [np.arange(1, len(row)) for row in ids]
    prefixes = logits.prefixes([pairs[n][0] for n in numbers], len(ids))
    shape = (len(TEMPERATURES), 3, len(STRENGTHS))
    made = [np.zeros((len(at), *shape), dtype=np.float32) for at in places]
    for chunk in logits.chunks(ids, places, prefixes):
        for first in range(0, len(chunk.logits), PIECE):
            part = chunk.logits[first : first + PIECE]
            for t, temperature in enumerate(TEMPERATURES):
                at = slice(chunk.start + first, chunk.start + first + len(part))
                made[chunk.text][at, t] = effects(part, temperature, STRENGTHS)
    for n, row, values in zip(numbers, ids, made, strict=True):
        keep(chosen.out, n, row, values)


def write(model, prompts, numbers, chosen) -> None:  # type: ignore[no-untyped-def]
    """One batch of texts that the model writes without a mark; effects are of its temperature alone."""
    tokenizer, drawn = model.tokenizer, torch.Generator().manual_seed(numbers[0])
    rows = [tokenizer(prompt)["input_ids"] for prompt in prompts]
    length = max(map(len, rows))
    mask = torch.tensor([[0] * (length - len(row)) + [1] * len(row) for row in rows])
    ids = torch.tensor([[0] * (length - len(row)) + row for row in rows])
    ends = model.model.generation_config.eos_token_id
    places, cache = mask.cumsum(1).sub(1).clamp(min=0), None
    written, made = [], []
    t = TEMPERATURES.index(chosen.write)
    for _ in range(chosen.tokens):
        out = model.model(
            ids,
            attention_mask=mask,
            position_ids=places,
            past_key_values=cache,
            use_cache=True,
            logits_to_keep=1,
        )
        cache, logits = out.past_key_values, out.logits[:, -1]
        values = np.zeros((len(rows), len(TEMPERATURES), 3, len(STRENGTHS)), dtype=np.float32)
        values[:, t] = effects(logits, chosen.write, STRENGTHS)
        made.append(values)
        logits[:, ends] = -torch.inf  # every text is as long as the others
        ids = torch.multinomial(torch.softmax(logits / chosen.write, -1), 1, generator=drawn)
        written.append(ids[:, 0].numpy())
        mask = torch.cat([mask, torch.ones(len(rows), 1, dtype=mask.dtype)], 1)
        places = places[:, -1:] + 1
    for n, row, values in zip(numbers, np.stack(written, 1), np.stack(made, 1), strict=True):
        keep(chosen.out, n, row, values[1:])


def keep(folder: Path, number: int, ids: npt.NDArray[np.int64], values: npt.NDArray[np.float32]) -> None:
    """The file of a text, at once or not at all."""
    with (folder / f".{number:04}.part").open("wb") as file:
        np.savez(file, ids=ids, effects=values)
    (folder / f".{number:04}.part").rename(folder / f"{number:04}.npz")


if __name__ == "__main__":
    main()
