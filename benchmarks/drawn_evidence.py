"""Evidence of texts drawn by a row's seed and by torch: ``python -m benchmarks.drawn_evidence``.

For each mark: mean z and mean -log10 p of texts of 60 tokens by either draw, a key for each text,
and the 95 % interval of the difference.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import stela_transformers.processor as processors
import torch
from stela_kernels.draws import drawn

import stela_core as stela
from benchmarks.drafts import PROMPTS, Writer
from benchmarks.texts import registry

TOKENS = 60


def by_torch(logits: torch.Tensor, seeds: Any) -> torch.Tensor:
    """As the draw by seeds, (rows, width), from torch's own generator."""
    chosen = torch.multinomial(torch.softmax(logits.float(), -1), 1)
    return torch.full_like(logits, -torch.inf).scatter_(1, chosen, 0.0)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.drawn_evidence",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--texts", type=int, default=96)
    parser.add_argument("--schemes", default="synthid,coupling,unbiased-gamma")
    args = parser.parse_args()
    torch.set_num_threads(1)
    writer = Writer("tiny")
    keys = [int(key) for key in np.random.default_rng(1).integers(1, 2**62, args.texts)]
    print("mark | z by seeds | by torch | difference | -log10 p by seeds | by torch | difference", flush=True)
    for scheme in args.schemes.split(","):
        drawn_by = {}
        for name, draw in (("seeds", drawn), ("torch", by_torch)):
            vars(processors)["drawn"] = draw
            of_texts = []
            for number, key in enumerate(keys):
                mark = stela.create(scheme, model="tiny", key=key, registry=registry())
                torch.manual_seed(number)
                ids = writer.tokenizer([PROMPTS[number % len(PROMPTS)]], return_tensors="pt").input_ids
                out = writer.model.generate(
                    ids,
                    do_sample=True,
                    top_k=0,
                    max_new_tokens=TOKENS,
                    suppress_tokens=[0],
                    logits_processor=[mark.logits_processor()],
                )
                [detection] = mark.detect_ids([out[0, ids.shape[1] :].tolist()])
                of_texts.append((detection.z, -np.log10(detection.p_value)))
            drawn_by[name] = np.array(of_texts)
        cells = []
        for column in (0, 1):
            one, other = drawn_by["seeds"][:, column], drawn_by["torch"][:, column]
            wide = 1.96 * np.sqrt((one.var(ddof=1) + other.var(ddof=1)) / len(one))
            gap = one.mean() - other.mean()
            cells += [f"{one.mean():.2f}", f"{other.mean():.2f}"]
            cells.append(f"{gap:+.2f} [{gap - wide:+.2f}, {gap + wide:+.2f}]")
        print(" | ".join([scheme, *cells]), flush=True)


if __name__ == "__main__":
    main()
