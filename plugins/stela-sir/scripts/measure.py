"""What meaning keeps: p-values after tokens were replaced, next to other marks, and how alike lists are.

    python measure.py [TEXTS]

On stela-tiny, English prompts of stela-corpora, 100 tokens, delta 2, a key for each ten texts. Prints, for
each mark, the median of -log10 p with 0, 20 and 40 % of the tokens replaced by the nearest in the shipped
vectors, and with 20 and 40 % by random ones; for ``sir`` also the share of outputs that two contexts
have in common: those of neighbouring tokens, of tokens 16 apart in one text, and of two texts.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from stela_corpora import TextSource
from stela_models.generation.generate import Sampling, generate
from stela_models.loaded import Models
from stela_sir.hasher import SirHasher
from stela_sir.network_file import FILES

import stela_core as stela

MARKS = (("kgw", 1), ("kgw", 4), ("unigram", 0), ("lsh", 2), ("lsh", 4), ("sir", 8), ("sir", 16), ("sir", 32))
NEAR, RANDOM = (0.0, 0.2, 0.4), (0.2, 0.4)
Ids = npt.NDArray[np.int64]


def neighbours() -> Ids:
    """The nearest other token of each, (ids,)."""
    table = FILES.read("tiny", None).vectors
    assert table is not None
    vectors = table.astype(np.float32)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1)
    products = vectors @ vectors.T
    np.fill_diagonal(products, -2)
    return np.asarray(products.argmax(axis=1), dtype=np.int64)


def alike(hasher: SirHasher, rows: list[Ids]) -> Iterator[float]:
    """Share of outputs that two contexts share, at three distances."""
    patterns = [hasher.seeds(hasher.contexts(row, np.arange(16, len(row)))) for row in rows]
    bits = [np.unpackbits(p.view(np.uint8), axis=1) for p in patterns]
    for apart in (1, 16):
        yield float(np.mean([(b[:-apart] == b[apart:]).mean() for b in bits]))
    yield float(np.mean([(one[40] == other[40]).mean() for one, other in pairwise(bits)]))


def main() -> None:
    """Generate, replace, detect."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    registry = stela.create_registry()
    file = registry.get(TextSource, "sample").location("en")
    prompts = [json.loads(line)["prompt"] for line in file.read_text(encoding="utf-8").splitlines()][:count]
    model = Models(registry, "cpu").load("tiny")
    near = neighbours()
    print("mark    width   near 0 %  20 %  40 %   random 20 %  40 %")
    for name, width in MARKS:
        draws = np.random.default_rng(0)
        p: list[list[float]] = [[] for _ in (*NEAR, *RANDOM)]
        rows: list[Ids] = []
        for start in range(0, len(prompts), 10):
            mark = stela.create(name, "tiny", key=0xABCD + start, delta=2.0, context_width=width)
            batches = generate(mark, model, prompts[start : start + 10], Sampling(100, 100, seed=start), 10)
            own = [np.array(one.token_ids) for batch in batches for one in batch]
            rows += own
            others = [near] * len(NEAR) + [draws.integers(3, len(near), len(near)) for _ in RANDOM]
            for at, (share, other) in enumerate(zip((*NEAR, *RANDOM), others, strict=True)):
                changed = [np.where(draws.random(len(row)) < share, other[row], row).tolist() for row in own]
                p[at] += [detection.p_value for detection in mark.detect_ids(changed)]
        medians = "  ".join(f"{np.median(-np.log10(values)):5.1f}" for values in p)
        print(f"{name:8} {width:4}   {medians}", flush=True)
        if isinstance(mark.parts.hasher, SirHasher):
            print("         outputs alike:", *(f"{share:.2f}" for share in alike(mark.parts.hasher, rows)))


if __name__ == "__main__":
    main()
