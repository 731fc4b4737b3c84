"""How much of the way from uniform weights to EWD, which runs the model, each public weight closes.

Half one: texts marked with uniform strength, weighed in every way (``kgw+W``). Half two: each weight
inserts, too, at the same mean bias, measured on other draws.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

import numpy as np
import numpy.typing as npt

import stela_core as stela
from benchmarks.texts import PROMPTS, TAGGERS, Texts, registry
from stela_core.detection.model_logits import ModelLogits
from stela_core.experiment.generating import Order, generate_cell
from stela_core.experiment.marks import Marks, key_of
from stela_core.experiment.models import Models
from stela_core.experiment.plan import GenerateCell
from stela_core.experiment.schema import SchemeEntry, TagSet

FLOOR, BOUND = "uniform", "ewd"
PUBLIC = ("stela", "lexical-tags", "learned", "learned-text")
COUNTED = ("lexical", "lexical-text")
"""They ship no table: ``--tables DIR`` holds DIR/lexical-LANGUAGE.json and DIR/lexical-text-LANGUAGE.json."""

BIAS = 1.25
"""Nats on green tokens: delta of the uniform mark, mean bias of the others."""

LENGTH, TEMPERATURE, BATCH = 80, 0.7, 50
RESAMPLES = 2000

Scores = npt.NDArray[np.float64]


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print z and share of the way by language, with 95 % intervals over prompts."""
    models, marks = Models(registry(), args.device), Marks(registry(), None)
    print(f"model {args.model}, {LENGTH} tokens, temperature {TEMPERATURE}, mean bias {BIAS}, grouped z")
    for language in args.languages.split(","):
        prompts = prompts_of(args.data, language, args.texts)
        seeds = range(args.seeds)
        print(f"\n{language}: {len(prompts)} prompts x {len(seeds)} keys", flush=True)
        cells = Cells(models, marks, args.model, language, prompts, args.tables)
        names = [*PUBLIC, *(name for name in COUNTED if cells.table(name) is not None)]
        marked = [cells.generate("kgw", seed) for seed in seeds]
        z = {name: cells.score(marked, f"kgw+{name}") for name in (FLOOR, BOUND, *names)}
        print(f"  {'weighed by':16}{'z':>7}   share of the way")
        for name, found in z.items():
            print(f"  {name:16}{found.mean():7.3f}   {share(found, z[FLOOR], z[BOUND])}", flush=True)
        print(f"  {'marked, weighed':16}{'z':>7}   less uniform's          mean bias")
        for name in names:
            own = [cells.generate(name, seed) for seed in seeds]
            found = cells.score(own, name)
            bias = np.mean([bias for _, found_biases in own for bias in found_biases])
            print(f"  {name:16}{found.mean():7.3f}   {gap(found, z[FLOOR]):24}{bias:.2f}", flush=True)


Marked = tuple[list[str], list[float]]
"""Texts of the prompts, and the mean bias of each."""


class Cells:
    """Generate and score the texts of one model and language."""

    def __init__(
        self,
        models: Models,
        marks: Marks,
        model: str,
        language: str,
        prompts: list[str],
        tables: Path | None,
    ) -> None:
        self._models, self._marks, self._model = models, marks, model
        self._language, self._prompts, self._tables = language, prompts, tables

    def table(self, name: str) -> str | None:
        """Path of the table given for a weighting."""
        path = None if self._tables is None else self._tables / f"{name}-{self._language}.json"
        return str(path.absolute()) if path is not None and path.is_file() else None

    def generate(self, name: str, seed: int) -> Marked:
        """The prompts' texts, marked by a scheme at mean bias ``BIAS``."""
        entry = SchemeEntry(name=name, mean_bias=BIAS)
        cell = GenerateCell(self._model, self._language, seed, entry, self._tagset(name), "")
        order = Order(cell, self._prompts, TEMPERATURE, BATCH, LENGTH)
        texts = generate_cell(order, self._marks, self._models)[0]["texts"]
        return [text["text"] for text in texts], [text["mean_bias"] for text in texts]

    def score(self, marked: list[Marked], name: str) -> Scores:
        """Grouped z of the texts of each seed, (seeds, prompts)."""
        return np.array([self._z(texts, name, seed) for seed, (texts, _) in enumerate(marked)])

    def _z(self, texts: list[str], name: str, seed: int) -> list[float]:
        entry, tagset = SchemeEntry(name=name), self._tagset(name.rpartition("+")[2])
        mark = self._marks.watermark(self._model, entry, tagset, BIAS, key_of(seed), self._language)
        logits = ModelLogits(*self._models.load(self._model)) if mark.needs_model_to_detect else None
        prompts = self._prompts if logits is not None else None
        return [detection.z for detection in mark.detector.detect_many(texts, logits, prompts)]

    def _tagset(self, name: str) -> TagSet:
        return TagSet(tagger=TAGGERS[self._language], k=4, table=self.table(name))


def prompts_of(data: Path | None, language: str, count: int) -> list[str]:
    """Prompts of DATA/prompts/LANGUAGE.jsonl.gz; without a folder one prompt, again and again."""
    if data is None:
        return [{"en": "The history of the city", **PROMPTS}[language]] * count
    path = data / "prompts" / f"{language}.jsonl.gz"
    if not path.is_file():
        raise stela.StelaError(f'"{path}" does not exist.', "--data names a folder that holds prompts/")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["prompt"] for line in lines][:count]


def share(found: Scores, floor: Scores, bound: Scores) -> str:
    """(found - floor) / (bound - floor) of mean z, paired, with an interval over prompts."""
    gained, whole = (found - floor).mean(axis=0), (bound - floor).mean(axis=0)
    rows = resampled(found.shape[1])
    return cell(gained.mean() / whole.mean(), gained[rows].mean(axis=1) / whole[rows].mean(axis=1))


def gap(found: Scores, floor: Scores) -> str:
    """Mean z above that of uniform weights on their own text, with an interval over prompts."""
    above = (found - floor).mean(axis=0)
    return cell(above.mean(), above[resampled(len(above))].mean(axis=1))


def resampled(size: int) -> npt.NDArray[np.intp]:
    """Numbers of prompts drawn with replacement, (resamples, size)."""
    return np.random.default_rng(2026).integers(0, size, (RESAMPLES, size), dtype=np.intp)


def cell(value: float, drawn: Scores) -> str:
    """``value [low, high]``."""
    low, high = np.quantile(drawn, [0.025, 0.975])
    return f"{value:.2f} [{low:.2f}, {high:.2f}]"
