"""Write ``web/tests/vectors.json``: what Python gives for the pieces of a detector, for the tests in node.

Long arrays are not written down: both sides make them of the portable hash (docs/hashing.md).
"""

from __future__ import annotations

import codecs
import json
import math
import sys
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers

sys.path.insert(0, str(Path(__file__).resolve().parent))
from message_vectors import message_vectors
from parity_profiles import TINY
from parity_texts import FIXED, texts_of
from stela_kernels.philox.draws import exponential_draws
from stela_kernels.philox.exponential import Exponential
from stela_page.expected import expected_of
from stela_page.reproducible import PATTERNS

import stela_core as stela
from stela_core.api import GroupedParameters, GroupedScorer, mix

OUT = Path(__file__).resolve().parents[1] / "web" / "tests" / "vectors.json"

HASHERS: list[dict[str, Any]] = [
    {"name": "keyed", "gamma": 0.5, "context_width": 1},
    {"name": "keyed", "gamma": 0.3, "context_width": 5},
    {"name": "unigram", "gamma": 0.25, "context_width": 0},
    {"name": "gumbel", "context_width": 4},
    {"name": "gumbel-vllm", "context_width": 4},
    {"name": "gumbel-vllm", "context_width": 6},
    {"name": "gumbel-vllm-dual", "context_width": 3, "parameters": {"alpha": 0.2}},
    {"name": "gumbel-sglang", "context_width": 4},
    {"name": "gumbel-sglang", "context_width": 2, "parameters": {"mixing_probability": 0.4}},
    {"name": "synthid", "context_width": 4},
    {"name": "synthid", "context_width": 4, "parameters": {"depth": 1}},
    {"name": "synthid", "context_width": 1, "parameters": {"depth": 3, "derived": False, "table_size": 4096}},
    {"name": "synthid", "context_width": 2, "parameters": {"table_seed": 2**40 + 7, "layers": "mean"}},
    {"name": "pf", "context_width": 4},
    {"name": "coupling", "context_width": 3},
    {"name": "textgrain", "context_width": 4},
    {"name": "textgrain", "context_width": 2, "parameters": {"blocks": 7, "columns": 256}},
]
KEYS = ("0123456789abcdef", "fedcba9876543210", "0000000000000000", "ffffffffffffffff")

GREEN = {"draws": "bernoulli", "gamma": 0.5, "parts": [1.0]}
QUARTER = {**GREEN, "gamma": 0.25}
ONE = {"draws": "exponential", "gamma": 0.5, "parts": [1.0]}
TWO = {"draws": "exponential", "gamma": 0.5, "parts": [0.9, 0.1]}
LAYERS = {"draws": "bernoulli", "gamma": 0.4996, "parts": [10 / 29, 8 / 29, 6 / 29, 4 / 29, 1 / 29]}
EVEN = {"draws": "bernoulli", "gamma": 0.5, "parts": [0.25] * 4}
SCORES: list[tuple[dict[str, Any], int, int, int, float]] = [
    # law, tokens, distinct weights (1: all alike), tokens that share a pair at most, lean towards the mark
    *((GREEN, n, 1, repeats, lean) for n in (1, 9, 40, 400) for repeats in (1, 5) for lean in (0.0, 0.4)),
    *((QUARTER, n, 1, 1, lean) for n in (20, 1000) for lean in (0.0, 0.3, 0.9)),
    *((GREEN, n, weights, 3, lean) for n in (12, 300) for weights in (3, 1000) for lean in (0.0, 0.5)),
    *((QUARTER, 4000, 1000, 1, lean) for lean in (0.0, 0.2)),  # by the transform
    *(
        (law, n, weights, 2, lean)
        for law in (ONE, TWO)
        for n in (1, 30, 500)
        for weights in (1, 1000)
        for lean in (0, 0.5)
    ),
    (ONE, 3000, 1000, 1, 0.05),
    (ONE, 200, 1, 1, -0.5),
    *(
        (law, n, weights, 2, lean)
        for law in (LAYERS, EVEN)
        for n in (1, 30, 500)
        for weights in (1, 1000)
        for lean in (0.0, 0.3)
    ),
    (LAYERS, 5000, 1, 1, 0.02),
]


def numbers(seed: int, count: int) -> npt.NDArray[np.uint32]:
    """32-bit numbers, drawn at random."""
    return mix(np.uint64(seed * 0x9E3779B97F4A7C15 % 2**64), np.arange(count))


def signals(seed: int, law: stela.Law, count: int, weights: int, repeats: int, lean: float) -> stela.Signals:
    """Made-up evidence; a pair's tokens have one draw."""
    groups = (numbers(seed, count) % np.uint32(max(1, count // repeats))).astype(np.int64)
    heavy = numbers(seed + 1, count) % np.uint32(weights) + 1 if weights > 1 else np.ones(count)
    parts = len(law.parts)
    drawn = numbers(seed + 2, count * parts).reshape(count, parts)[groups]
    if isinstance(law, stela.Bernoulli):
        draws = (drawn < np.float64(law.gamma + (1 - law.gamma) * lean) * 2**32).astype(np.float64)
    else:
        draws = exponential_draws(drawn) * (1 + lean)
    return stela.Signals(draws, heavy / 1000, groups, law)


def law_of(registry: stela.Registry, draws: str, gamma: float, parts: tuple[float, ...]) -> stela.Law:
    """The law that a vector names: of several bits a token that of a tournament."""
    if draws == "bernoulli":
        synthid = registry.get(stela.Hasher, "synthid")
        bits = (
            stela.Bernoulli
            if parts == (1.0,)
            else type(synthid(synthid.Parameters.model_validate({}), 1).law)
        )
        return bits(gamma, parts)  # type: ignore[call-arg]
    return Exponential(parts, largest=32 * math.log(2))


def score_vectors(registry: stela.Registry) -> list[dict[str, Any]]:
    """Scores of made-up evidence under both rules for ties and all for repeats."""
    vectors = []
    for number, (said, count, weights, repeats, lean) in enumerate(SCORES):
        law = law_of(registry, said["draws"], said["gamma"], tuple(said["parts"]))
        rule = ("fourth-root", "sum", "root", "mean")[number % 4]
        ties = ("split", "whole")[number % 5 == 4]
        scorer = GroupedScorer(GroupedParameters(repeats=rule, ties=ties))  # type: ignore[arg-type]
        made = signals(7 * number, law, count, weights, repeats, lean)
        score = scorer.score_signals(made)
        case = {
            "law": said,
            "seed": 7 * number,
            "count": count,
            "weights": weights,
            "repeats": repeats,
            "lean": lean,
        }
        vectors.append(
            {
                **case,
                "rule": rule,
                "ties": ties,
                "z": score.z,
                "z_plain": score.z_plain,
                "p": score.p_value,
                "least": scorer.least_p_of(made),
            }
        )
    return vectors


def power_vectors(registry: stela.Registry) -> list[dict[str, Any]]:
    """Expected power of texts of the embedded model's ids, some of which come again."""
    vectors = []
    for scheme, bits in (("kgw", None), ("unigram", None), ("gumbel", None), ("synthid", None), ("kgw", 8)):
        made = stela.create(
            scheme,
            model="tiny",
            key=1,
            language="en",
            gamma=0.3 if scheme == "kgw" else None,
            bits=bits,
            registry=registry,
        )
        for count in (5, 12, 30, 90, 600):
            ids = [300 + n * n % (count - 2) for n in range(count)]
            [detection] = made.detect_ids([ids])
            evidence = detection.evidence
            alpha = detection.threshold / (1 << (bits or 0))
            said = {
                "groups": evidence.groups.tolist(),
                "gamma": made.profile.hasher.gamma or 0.5,
                "alpha": alpha,
            }
            if detection.verdict != "insufficient text":
                vectors.append({**said, "marked": expected_of(made), "power": detection.power})
    return vectors


def hasher_vectors(registry: stela.Registry) -> list[dict[str, Any]]:
    """Draws of tokens behind contexts."""
    vectors = []
    for number, part in enumerate(HASHERS):
        hasher_class = registry.get(stela.Hasher, part["name"])
        chosen = {name: part[name] for name in ("gamma", "context_width") if name in part}
        parameters = hasher_class.Parameters(**chosen, **part.get("parameters", {}))
        words = hasher_class.key_words(parameters)
        for key in ("".join((KEYS * 2)[n : n + words]) for n in range(len(KEYS))):
            hasher = hasher_class(parameters, int(key, 16))
            ids = (numbers(number, 12) % np.uint32(300_000)).astype(np.int64)
            if hasher.padding is not None:
                ids[:2] = hasher.padding
            contexts = np.lib.stride_tricks.sliding_window_view(ids, max(1, part["context_width"]))[:6]
            contexts = contexts[:, : part["context_width"]]
            tokens = (numbers(number + 50, len(contexts)) % np.uint32(300_000)).astype(np.int64)
            draws = hasher.draws(hasher.seeds(contexts), tokens)
            vectors.append(
                {
                    "part": part,
                    "key": key,
                    "contexts": contexts.tolist(),
                    "tokens": tokens.tolist(),
                    "draws": draws.tolist(),
                }
            )
    return vectors


def short_texts() -> list[str]:
    """Hostile texts of at most 60 characters."""
    return [text[:60] for _, text in texts_of(len(FIXED) + 35, None, 3)]


def piece_vectors() -> list[dict[str, Any]]:
    """Cuts that each pattern makes."""
    vectors = []
    for pattern in PATTERNS:
        split = pre_tokenizers.Split(Regex(pattern), "isolated")
        cuts = [[piece for piece, _ in split.pre_tokenize_str(text)] for text in short_texts()]
        vectors.append({"pattern": pattern, "cuts": cuts})
    return vectors


def prefix_vectors() -> list[dict[str, Any]]:
    """Bytes in pieces, broken ones among them, to text and the places where pieces end, in UTF-16 units."""
    broken = [
        "e4",
        "bda0",
        "41e4",
        "41",
        "f490",
        "8080",
        "eda080",
        "ff",
        "f09f",
        "9880",
        "c3",
        "c3a9",
        "efbbbf",
        "e2",
        "82ac",
    ]
    decoder, text, ends = codecs.getincrementaldecoder("utf-8")("replace"), "", []
    for piece in broken:
        ends.append(len(text.encode("utf-16-le")) // 2)
        text += decoder.decode(bytes.fromhex(piece))
    return [{"pieces": broken, "text": text, "ends": ends}]


def main() -> None:
    """Write the file."""
    texts = short_texts()
    small = Tokenizer.from_file(str(TINY / "small" / "tokenizer.json"))
    marks = [
        "a\u0316\u0301\u0345",
        "\u0f71\u0f72\u0f74",
        "\u1100\u1161\u11a8",
        "\U00011935\U00011930",
        "\u0958",
        "e\u0898\u0301",
    ]
    registry = stela.create_registry()
    content = {
        "hashers": hasher_vectors(registry),
        "scores": score_vectors(registry),
        "power": power_vectors(registry),
        "messages": message_vectors(registry, numbers),
        "erfc": [[x, math.erfc(x)] for x in (-3.0, -0.5, 0.0, 0.1, 1.0, 1.9999, 2.0, 3.5, 10.0, 26.0)],
        "two_digits": [
            [x, f"{x:.2g}"] for x in (1.0, 0.5, 0.125, 0.375, 0.0625, 0.996, 1e-300, 9.96e-5, 0.00012345)
        ],
        "texts": texts,
        "tiny_small": [small.encode(text, add_special_tokens=False).ids for text in texts],
        "pieces": piece_vectors(),
        "library_nfc": [[text, normalizers.NFC().normalize_str(text)] for text in (*marks, *texts)],
        "python_nfc": [[text, unicodedata.normalize("NFC", text)] for text in (*marks, *texts)],
        "prefix": prefix_vectors(),
    }
    OUT.write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
