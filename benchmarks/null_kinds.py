"""The null of every kind of mark: human documents of three languages under many keys."""

from __future__ import annotations

import argparse

import numpy as np
from stela_run.null.unmarked import Unmarked
from stela_run.statistics.shares import clopper_pearson

from benchmarks.texts import Texts, watermark

SCHEMES = (
    "kgw", "stela", "unigram", "watme", "lsh", "sir", "coupling", "gumbel", "gumbel-vllm", "gumbel-vllm-dual",
    "gumbel-vllm-hmac", "gumbel-sglang", "gumbel-textseal", "gumbel-textseal-dual", "pf", "textgrain",
    "synthid", "synthid-vllm", "synthid-textseal", "exp", "exp-its", "unbiased-delta", "unbiased-gamma",
    "unbiased-dip", "gumbel+stela", "gumbel+learned-text", "synthid+learned-text", "kgw/interop-sbw",
    "kgw/interop-red-green", "kgw/interop-textseal",
)  # fmt: skip
"""Behind a slash, another hasher than the scheme's."""
TOKENS = 200
DOCUMENTS = 300
KEYS = 20
LEVELS = (1e-1, 1e-2, 1e-3)


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print the share of p <= level of each scheme and language, with its exact 95 % interval.

    Each document has keys of its own: given the documents, all tests are independent draws of the key.
    """
    print(f"{DOCUMENTS} documents of {TOKENS} tokens, {KEYS} random keys each: share of p <= level / level")
    print(f"{'':24}{'':4}{'tests':>7}" + "".join(f"{f'{level:g}':>26}" for level in LEVELS))
    for scheme in SCHEMES:
        for language in args.languages.split(","):
            name, _, other = scheme.partition("/")
            mark = watermark(name, language, hasher=other or None)
            rows = texts.documents(language, DOCUMENTS, TOKENS)
            evidence = mark.detector.evidence(rows)
            if mark.detector.judge(evidence[0]).evidence.whole is not None:
                continue
            hasher = mark.parts.hasher
            rng = np.random.default_rng(args.seed)
            p_values = []
            for one in evidence:
                unmarked = Unmarked([one], hasher, mark.parts.scorer)
                keys = [
                    int.from_bytes(rng.bytes(8 * hasher.key_words(hasher.parameters))) for _ in range(KEYS)
                ]
                p_values += [unmarked.p_values(hasher.under(key)) for key in keys]
            p = np.concatenate(p_values)
            cells = []
            for level in LEVELS:
                hits = int((p <= level).sum())
                low, high = clopper_pearson(hits, len(p))
                over = "  ABOVE" if low > level else ""
                cells.append(f"{hits / len(p) / level:6.2f} [{low / level:.2f}, {high / level:.2f}]{over}")
            print(f"{scheme:24}{language:4}{len(p):7}" + "".join(f"{cell:>26}" for cell in cells), flush=True)
