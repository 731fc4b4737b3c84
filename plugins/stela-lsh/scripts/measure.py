"""What meaning keeps: seeds and p-values after tokens were replaced by neighbours, compared with kgw.

    python measure.py [TEXTS]

On stela-tiny, English prompts of stela-corpora, 100 tokens, delta 2, a key for each ten texts. A neighbour is
the nearest token in the shipped embedding; a random token is any. Prints one line a mark: the share of hash
contexts whose seed survives the replacement of one of its tokens by a neighbour, or by a random one, and the
median of -log10 p with 0, 20 and 40 % of the text's tokens replaced by neighbours.
"""

from __future__ import annotations

import json
import sys

import numpy as np
import numpy.typing as npt
from stela_corpora import TextSource
from stela_lsh.embedding_file import FILES
from stela_models.generation.generate import Sampling, generate
from stela_models.loaded import Models

import stela_core as stela

MARKS: tuple[tuple[str, int, dict[str, int]], ...] = (
    ("kgw", 1, {}),
    ("kgw", 2, {}),
    ("kgw", 4, {}),
    ("lsh", 1, {"bits": 8}),
    ("lsh", 2, {"bits": 8}),
    ("lsh", 4, {"bits": 6}),
    ("lsh", 4, {"bits": 8}),
    ("lsh", 4, {"bits": 12}),
    ("lsh", 4, {"bits": 16}),
)
SHARES = (0.0, 0.2, 0.4)
Ids = npt.NDArray[np.int64]


def neighbours() -> Ids:
    """The nearest other token of each, (ids,)."""
    vectors = FILES.read("tiny", None).vectors.astype(np.float32)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1)
    products = vectors @ vectors.T
    np.fill_diagonal(products, -2)
    return np.asarray(products.argmax(axis=1), dtype=np.int64)


def survival(hasher: stela.GreenList, rows: list[Ids], others: Ids, draws: np.random.Generator) -> float:
    """Share of the texts' contexts with the same seed when one of their tokens, drawn, is replaced."""
    width = hasher.context_width
    before = np.concatenate([np.lib.stride_tricks.sliding_window_view(row, width) for row in rows])
    after = before.copy()
    every, place = np.arange(len(before)), draws.integers(0, width, len(before))
    after[every, place] = others[before[every, place]]
    return float((hasher.seeds(before) == hasher.seeds(after)).mean())


def main() -> None:
    """Generate, replace, detect."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    registry = stela.create_registry()
    file = registry.get(TextSource, "sample").location("en")
    prompts = [json.loads(line)["prompt"] for line in file.read_text(encoding="utf-8").splitlines()][:count]
    model = Models(registry, "cpu").load("tiny")
    near = neighbours()
    print("mark      width bits  neighbour random   -log10 p at 0 %  20 %  40 % replaced")
    for name, width, parameters in MARKS:
        draws = np.random.default_rng(0)
        p: dict[float, list[float]] = {share: [] for share in SHARES}
        kept: list[tuple[float, float]] = []
        for start in range(0, len(prompts), 10):
            mark = stela.create(
                name, "tiny", key=0xABCD + start, delta=2.0, context_width=width, parameters=parameters
            )
            batches = generate(mark, model, prompts[start : start + 10], Sampling(100, 100, seed=start), 10)
            rows = [np.array(one.token_ids) for batch in batches for one in batch]
            hasher = mark.parts.hasher
            assert isinstance(hasher, stela.GreenList)
            anything = draws.integers(3, len(near), len(near))
            kept.append((survival(hasher, rows, near, draws), survival(hasher, rows, anything, draws)))
            for share in SHARES:
                changed = [np.where(draws.random(len(row)) < share, near[row], row).tolist() for row in rows]
                p[share] += [detection.p_value for detection in mark.detect_ids(changed)]
        one, other = np.mean(kept, axis=0)
        medians = "  ".join(f"{np.median(-np.log10(p[share])):5.1f}" for share in SHARES)
        print(f"{name:9} {width:4} {parameters.get('bits', '-'):>5}  {one:8.2f} {other:7.2f}   {medians}")


if __name__ == "__main__":
    main()
