"""What marks that count green tokens leave and cost, expected over keys, at the same positions of human text.

    python -m scripts.expected_costs --data DIR --model FOLDER [--language CODE] [--texts N]

One pass of the model gives its distributions; temperatures 1 and 0.7 are applied to them. No text is
generated, so marks are paired token by token. DIR holds ``prompts/CODE.jsonl.gz``. Rows of this model and
language in docs/results/expected-costs.csv are replaced, and the table in docs/families.md. Columns, with
95 % bootstrap intervals over texts:

- z: mean expected z of a text of 100 tokens; times kgw 1, times kgw 2: over KGW's at delta 1 and 2;
- surprisal: rise of -log p, nats a token; less that of kgw 2, paired;
- at equal surprisal: z over that of KGW at the delta that costs as much, less 1.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from stela_analysis.green_costs import (
    TOKENS,
    Floats,
    Sums,
    gain_at_equal_cost,
    green_ratio,
    surprisal_rise,
)
from stela_coupling.coupling import HEADS
from stela_coupling.expected import green_rise
from stela_models.logits import ModelLogits
from stela_morphmark import MorphMark, MorphMarkParameters
from stela_paper.results.expected import as_table
from stela_paper.tables import with_tables

import stela_core as stela
from stela_core import load_model
from stela_core.api import LanguageModel, backend_of

RESULTS = Path(__file__).parents[1] / "docs/results/expected-costs.csv"
TAGGERS = {"en": "penn:causal", "zh": "ctb:causal", "ko": "sejong:causal"}
SPLITS, COUPLED, PIECE = 64, 32, 20
TEMPERATURES = (1.0, 0.7)
DELTAS = np.arange(0.5, 4.01, 0.25)
"""Of KGW, between which its z at a surprisal is read."""
WEIGHED = ("learned-text", "stela")
"""Schemes that set bias and weight by public tables, here at delta 2."""

AFTER = "morphmark after the temperature"
"""Its green probability and bias are those of the final distribution; ``stela generate``, transformers and
MarkLLM take the logits before the temperature."""


def morphmark_bias(mass: Floats) -> Floats:
    """MorphMark's bias at its defaults, from the green probability, in nats."""
    weighting = MorphMark(MorphMarkParameters.model_validate({}), None)
    positions = stela.Positions(mass.size, green_mass=mass.ravel())
    return np.asarray(weighting.weights(positions).reshape(mass.shape))


def coupling_rise(p: torch.Tensor, green: torch.Tensor, mass: Floats) -> Floats:
    """Mean rise of the green mass by ``coupling``, (n,); p (n, V), green (V, splits), mass (n, splits)."""
    heads, ids = (part.numpy() for part in p.topk(HEADS))
    rises = np.zeros(len(heads))
    for row, (top, at) in enumerate(zip(heads.astype(np.float64), ids, strict=True)):
        rises[row] = green_rise(top, green[at].numpy()[:, :COUPLED] > 0, mass[row, :COUPLED])
    return rises


def measured(
    language_model: LanguageModel, model: str, code: str, pairs: Sequence[dict[str, str]]
) -> dict[tuple[float, str], Sums]:
    """Sums by temperature and mark."""
    backend = backend_of(language_model.tokenizer)
    rows = [backend.encode(pair["continuation"], add_special_tokens=False).ids[:TOKENS] for pair in pairs]
    weights = {}
    for scheme in WEIGHED:
        named = {"tagger": TAGGERS.get(code, code)} if scheme == "stela" else {"language": code}
        mark = stela.create(scheme, model=model, key=1, **named)  # type: ignore[arg-type]
        evidences = list(mark.detector.evidence(rows))
        mean = float(np.concatenate([one.weights for one in evidences]).mean())
        weights[scheme] = [
            dict(zip(one.positions.tolist(), one.weights / mean, strict=True)) for one in evidences
        ]
    places = [
        np.array(sorted(set.intersection(*(set(weights[one][n]) for one in WEIGHED))), dtype=np.intp)
        for n in range(len(rows))
    ]
    sums: dict[tuple[float, str], Sums] = {}
    logits = ModelLogits(*language_model)
    ids = [np.array(row, dtype=np.int64) for row in rows]
    prefixes = logits.prefixes([pair["prompt"] for pair in pairs], len(rows))
    green: torch.Tensor | None = None
    for chunk in logits.chunks(ids, places, prefixes):
        if green is None:
            half = np.random.default_rng(1).random((chunk.logits.shape[-1], SPLITS // 2)) < 0.5
            green = torch.from_numpy(np.concatenate([half, ~half], axis=1).astype(np.float32))
        for start in range(0, len(chunk.logits), PIECE):
            part = chunk.logits[start : start + PIECE].float()
            at = places[chunk.text][chunk.start + start : chunk.start + start + len(part)].tolist()
            plain = (part.softmax(-1) @ green).double().numpy()
            for temperature in TEMPERATURES:
                p = (part / temperature).softmax(-1)
                entropy = torch.special.entr(p)
                mass = (p @ green).double().numpy().clip(0, 1)
                of_green, of_all = (
                    (entropy @ green).double().numpy(),
                    entropy.sum(-1, keepdim=True).double().numpy(),
                )
                even = np.ones(len(at))
                marks: dict[str, tuple[Floats | float, Floats]] = {
                    f"kgw {delta:g}": (delta, even) for delta in DELTAS
                }
                marks["morphmark"] = morphmark_bias(plain.clip(0, 1)), even
                marks[AFTER] = temperature * morphmark_bias(mass), even
                for scheme in WEIGHED:
                    own = np.array([weights[scheme][chunk.text][place] for place in at])
                    marks[scheme] = 2.0 * own[:, None], own
                for name, (bias, own) in marks.items():
                    after = green_ratio(mass, np.asarray(bias) / temperature)
                    cost = surprisal_rise(mass, after, of_green, of_all).mean(1)
                    of = sums.setdefault((temperature, name), Sums(len(rows)))
                    of.add(chunk.text, (after - mass).mean(1), own, cost)
                of = sums.setdefault((temperature, "coupling"), Sums(len(rows)))
                of.add(chunk.text, coupling_rise(p, green, mass), even, None)
        print(f"text {chunk.text + 1} of {len(rows)}", flush=True)
    return sums


def table(sums: dict[tuple[float, str], Sums], model: str, code: str) -> list[dict[str, str]]:
    """A row for each temperature and mark."""
    rows = []
    for temperature in TEMPERATURES:
        kgw = [sums[temperature, f"kgw {delta:g}"] for delta in DELTAS]
        texts = len(kgw[0].z)
        drawn = np.random.default_rng(1).integers(0, texts, (2000, texts))
        drawn = np.concatenate([np.arange(texts)[None], drawn])
        costs, zs = (
            np.array([values[drawn].mean(1) for values in each])
            for each in ([one.surprisal for one in kgw], [one.z for one in kgw])
        )
        one, two = (sums[temperature, f"kgw {delta}"] for delta in (1, 2))
        after = (AFTER,) if temperature != 1 else ()
        for mark in ("kgw 1", "kgw 2", "morphmark", *after, "coupling", *WEIGHED):
            own = sums[temperature, mark]
            z, cost = own.z[drawn].mean(1), own.surprisal[drawn].mean(1)
            values = {
                "z": z,
                "times kgw 1": z / one.z[drawn].mean(1),
                "times kgw 2": z / two.z[drawn].mean(1),
                "surprisal": cost,
                "surprisal less kgw 2's": cost - two.surprisal[drawn].mean(1),
            }
            if mark in WEIGHED:
                values["at equal surprisal"] = gain_at_equal_cost(z, cost, zs, costs)
            place = {
                "model": Path(model).name,
                "language": code,
                "temperature": f"{temperature:g}",
                "mark": mark,
            }
            counts = {"texts": str(texts), "positions": str(int(own.count.sum()))}
            rows.append(
                place
                | counts
                | {
                    k: v
                    for name in (
                        "z",
                        "times kgw 1",
                        "times kgw 2",
                        "surprisal",
                        "surprisal less kgw 2's",
                        "at equal surprisal",
                    )
                    for k, v in _columns(name, values.get(name))
                }
            )
    return rows


def _columns(name: str, values: Floats | None) -> list[tuple[str, str]]:
    if values is None:
        return [(name, ""), (f"{name}, low", ""), (f"{name}, high", "")]
    low, high = np.quantile(values[1:], [0.025, 0.975])
    return [(name, f"{values[0]:.3f}"), (f"{name}, low", f"{low:.3f}"), (f"{name}, high", f"{high:.3f}")]


def main() -> None:
    """Measure one language, and write its rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--language", default="en")
    parser.add_argument("--texts", type=int, default=25)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    with gzip.open(chosen.data / "prompts" / f"{chosen.language}.jsonl.gz", "rt", encoding="utf-8") as lines:
        pairs = [json.loads(line) for line in islice(lines, 100, 100 + chosen.texts)]
    with torch.inference_mode():
        made = table(
            measured(load_model(chosen.model), chosen.model, chosen.language, pairs),
            chosen.model,
            chosen.language,
        )
    old: list[dict[str, str]] = []
    if RESULTS.exists():
        with RESULTS.open(encoding="utf-8", newline="") as file:
            old = [
                row
                for row in csv.DictReader(file)
                if (row["model"], row["language"]) != (made[0]["model"], made[0]["language"])
            ]
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(made[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows([*old, *made])
    page = RESULTS.parents[1] / "families.md"
    page.write_text(with_tables(page.read_text("utf-8"), {"expected": as_table([*old, *made])}), "utf-8")


if __name__ == "__main__":
    main()
