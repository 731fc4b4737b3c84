"""What marks that count green tokens find, and what they cost, on a model's own next-token distributions.

    python costs.py MODEL PROMPTS POSITIONS.npz

PROMPTS is a file of lines {"prompt": ...}. 64 texts of 50 tokens are drawn at temperature 1; every eighth
distribution is kept in POSITIONS.npz, and read from there if the file exists. Colours are drawn at random,
half green. Prints for each mark, means over positions and keys, with 95 % bootstrap intervals over texts:

- z of one token, uniform weights: 2 (share of green tokens - 1/2); that of n tokens is sqrt(n) times it;
- divergence KL(mean of q over keys || p) in nats a token, without the bias of a finite number of keys;
- surprisal, the rise of -log p, nats a token;
- divergence per key, the mean of KL(q || p);
- how much z of ``coupling`` is larger, by text.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from stela_coupling.coupling import HEADS, coupled, lowered, most_green

Floats = npt.NDArray[np.float64]
KEPT, EXACT, SPLITS, KEYS = 1024, 256, 4096, 512
TEXTS, TOKENS, BATCH = 64, 50, 16


class Rows(NamedTuple):
    """Distributions: the EXACT largest probabilities, and of all other tokens what sums need."""

    text: npt.NDArray[np.int64]
    p: Floats
    tail: Floats
    squares: Floats
    tail_entropy: Floats


class Costs(NamedTuple):
    """What marking costs at each position, (n,) each."""

    z: Floats
    divergence: Floats
    surprisal: Floats
    per_key: Floats


def plogp(p: Floats, over: Floats | float = 1.0) -> Floats:
    return np.asarray(p * np.log(np.maximum(p, 1e-300) / np.maximum(over, 1e-300)))


def collect(name: str, prompts: Path, out: Path) -> None:
    import torch

    import stela_core as stela

    model, tokenizer = stela.load_model(name)
    every = [json.loads(line)["prompt"] for line in prompts.read_text().splitlines()]
    chosen = [every[i] for i in np.linspace(0, len(every) - 1, TEXTS).astype(int)]
    torch.manual_seed(0)
    rows, texts = [], []
    for start in range(0, TEXTS, BATCH):
        inputs = tokenizer(chosen[start : start + BATCH], return_tensors="pt", padding=True)
        ids, mask, cache = inputs["input_ids"], inputs["attention_mask"], None
        with torch.inference_mode():
            for step in range(TOKENS):
                said = model(input_ids=ids, attention_mask=mask, past_key_values=cache, use_cache=True)
                cache, p = said.past_key_values, said.logits[:, -1].double().softmax(-1)
                if step % 8 == 1:
                    top = p.topk(KEPT).values
                    sums = [
                        torch.stack([q.sum(-1), (q * q).sum(-1), -q.xlogy(q).sum(-1)], 1) for q in (p, top)
                    ]
                    rows.append(torch.cat([top, (sums[0] - sums[1]).clamp(min=0)], 1).numpy())
                    texts.append(np.arange(start, start + len(p)))
                ids = torch.multinomial(p, 1)
                mask = torch.cat([mask, mask.new_ones(len(mask), 1)], 1)
    np.savez_compressed(out, rows=np.concatenate(rows), text=np.concatenate(texts))


def read(path: Path) -> Rows:
    with np.load(path) as held:
        rows, text = held["rows"], held["text"]
    middle = rows[:, EXACT:KEPT]
    sums = (middle.sum(1), (middle**2).sum(1), -plogp(middle).sum(1))
    return Rows(text, rows[:, :EXACT], *(one + rows[:, KEPT + i] for i, one in enumerate(sums)))


def of_strength(rows: Rows, marked: Callable[[Floats], Floats]) -> Costs:
    """What a bias costs. Splits come with opposites.

    Args:
        rows: the distributions.
        marked: the marked green probability as a function of the unmarked.
    """
    draws, half = np.random.default_rng(7), SPLITS // 2
    green = (draws.random((half, EXACT)) < 0.5).astype(np.float64)
    noise = draws.standard_normal(half)
    green, noise = np.concatenate([green, 1 - green]), np.concatenate([noise, -noise])
    spread = np.sqrt(rows.squares)[:, None] * noise
    mass = rows.p @ green.T + 0.5 * (
        rows.tail[:, None] + np.clip(spread, -rows.tail[:, None], rows.tail[:, None])
    )
    mass = mass.clip(1e-12, 1 - 1e-12)
    after = marked(mass)
    a, b = after / mass, (1 - after) / (1 - mass)
    ratio, of_tail = (a @ green + b @ (1 - green)) / SPLITS, (a.mean(1) + b.mean(1)) / 2
    # Pairs of a split and its opposite are independent: the variance of their means is the bias.
    one, other = (a[:, :half] + b[:, half:]) / 2, (b[:, :half] + a[:, half:]) / 2
    square = (one**2 @ green[:half] + other**2 @ (1 - green[:half])) / half
    bias = (rows.p * (square - ratio**2)).sum(1) + rows.tail * ((one + other) / 2).var(1)
    divergence = (rows.p * (plogp(ratio) - ratio + 1)).sum(1) + rows.tail * (plogp(of_tail) - of_tail + 1)
    surprisal = ((1 - ratio) * plogp(rows.p)).sum(1) + (of_tail - 1) * rows.tail_entropy
    per_key = (plogp(after, mass) + plogp(1 - after, 1 - mass)).mean(1)
    return Costs(2 * (after - mass).mean(1), divergence - bias / 2 / half, surprisal, per_key)


def of_coupling(rows: Rows, nats: float) -> Costs:
    """The mean over keys is known exactly (the tests hold it to all colourings)."""
    draws = np.random.default_rng(8)
    out = []
    for p, tail, squares, entropy in zip(rows.p, rows.tail, rows.squares, rows.tail_entropy, strict=True):
        heads, middle = p[:HEADS], p[HEADS:]
        others = float(middle.sum() + tail)
        green = draws.random((KEYS, EXACT)) < 0.5
        of_tail = np.clip(tail + np.sqrt(squares) * draws.standard_normal(KEYS), 0, 2 * tail) / 2
        of_keys = np.zeros((KEYS, 2))
        for key, (colours, far) in enumerate(zip(green, of_tail, strict=True)):
            near = float(middle @ colours[HEADS:] + far)
            made = coupled(heads.tolist(), colours[:HEADS].tolist(), others, near, nats)
            q, parts = np.array(made.heads), np.array([near, others - near])
            scaled = parts * (made.on_green, made.on_red)
            of_keys[key] = q @ colours[:HEADS] + scaled[0], plogp(q, heads).sum() + plogp(scaled, parts).sum()
        cut = np.array(lowered(heads.tolist(), nats))
        whole = cut.sum() + others
        mean, rest = cut / whole, others / whole
        shift = ((heads - mean) * np.log(np.maximum(heads, 1e-300))).sum()
        shift += (1 / whole - 1) * (entropy - plogp(middle).sum())
        divergence = plogp(mean, heads).sum() + float(plogp(np.array(rest), others))
        out.append((2 * of_keys[:, 0].mean() - 1, divergence, shift, of_keys[:, 1].mean()))
    return Costs(*np.array(out).T)


def kgw(delta: float) -> Callable[[Floats], Floats]:
    return lambda mass: mass / (mass + (1 - mass) * np.exp(-delta))


def morphmark(k: float) -> Callable[[Floats], Floats]:
    return lambda mass: np.where(mass < 0.15, mass, mass + np.minimum(np.expm1(k * mass), 1) * (1 - mass))


def sweet(rows: Rows, delta: float) -> Callable[[Floats], Floats]:
    hesitates = (rows.tail_entropy - plogp(rows.p).sum(1) > 0.9)[:, None]
    return lambda mass: np.where(hesitates, kgw(delta)(mass), mass)


def main() -> None:
    """Collect what is not there, then print the table."""
    name, prompts, path = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    if not path.exists():
        collect(name, prompts, path)
    rows = read(path)
    marks = {f"kgw delta {d:g}": of_strength(rows, kgw(d)) for d in (1, 2, 3)}
    marks |= {f"sweet delta {d:g}": of_strength(rows, sweet(rows, d)) for d in (1, 2)}
    marks |= {f"morphmark k {k:g}": of_strength(rows, morphmark(k)) for k in (1, 1.3, 2, 3, 6)}
    marks["each split by itself"] = of_strength(rows, lambda mass: np.minimum(2 * mass, 1))
    marks |= {f"coupling {nats:g}": of_coupling(rows, nats) for nats in (0, 0.1, 0.3, 1)}
    number = np.unique(rows.text, return_inverse=True)[1]
    counts = np.bincount(number)
    resampled = np.random.default_rng(9).integers(0, len(counts), (4_000, len(counts)))

    def shown(values: Floats, places: int = 3) -> str:
        sums = np.bincount(number, values)[resampled].sum(1) / counts[resampled].sum(1)
        low, high = np.quantile(sums, [0.025, 0.975])
        return f"{values.mean():.{places}f} [{low:.{places}f}, {high:.{places}f}]"

    print(f"{name}: {len(rows.p)} positions of {len(counts)} texts")
    print("| mark | z | divergence | surprisal | divergence per key | z of coupling is larger by |")
    print("|---|---|---|---|---|---|")
    for label, one in marks.items():
        cells = [shown(one.z), shown(one.divergence, 5), shown(one.surprisal), f"{one.per_key.mean():.2f}"]
        print("|", " | ".join([label, *cells, shown(marks["coupling 0"].z - one.z)]), "|")
    bound = np.array([2 * most_green(p[:HEADS].tolist()) - 1 for p in rows.p])
    print(f"| bound, divergence 0 | {shown(bound)} | 0 | | | {shown(marks['coupling 0'].z - bound)} |")


if __name__ == "__main__":
    main()
