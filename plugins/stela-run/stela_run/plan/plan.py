"""The cells of an experiment: what is generated, and what is measured on it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stela_core import Registry, StelaError
from stela_core.api import resolve_scheme
from stela_run.attack import Attack
from stela_run.metric import Metric
from stela_run.plan.defaults import stand_in, with_key_per, with_metrics
from stela_run.plan.estimate import EXPECTED
from stela_run.plan.labels import labels_of
from stela_run.plan.on_disk import digest_of
from stela_run.plan.schema import Experiment, Part, SchemeEntry, TagSet
from stela_run.plan.texts import Texts, read_texts

NO_ATTACK = "none"
PLAIN = "+uniform"
"""Ending of a scheme whose evidence counts all tokens alike."""
UNMARKED = SchemeEntry(name="uniform", label="unmarked", delta=0.0)
"""Generation without a mark."""


@dataclass(frozen=True)
class GenerateCell:
    """Texts of one model for the prompts of one language, with one mark."""

    model: str
    language: str
    seed: int
    entry: SchemeEntry
    tagset: TagSet
    id: str = field(compare=False)


@dataclass(frozen=True)
class EvaluateCell:
    """A cell of generated texts after one attack, detected and measured at each length."""

    generated: str
    """Id of the cell that generates them."""
    unmarked: str
    model: str
    language: str
    seed: int
    label: str
    entry: SchemeEntry
    tagset: TagSet
    attack: Part
    id: str = field(compare=False)


Cell = GenerateCell | EvaluateCell


@dataclass(frozen=True)
class Plan:
    """All cells in order, and the texts they work on."""

    experiment: Experiment
    folder: Path | None
    """The data folder, if there is one."""
    texts: dict[str, Texts]
    generate: list[GenerateCell]
    evaluate: list[EvaluateCell]
    notes: list[str]
    sample: list[str] = field(default_factory=list)
    """Languages whose texts are the small shipped sample."""

    @property
    def cells(self) -> list[Cell]:
        """All of them, in the order they are run."""
        return [*self.generate, *self.evaluate]

    def writes(self, cell: GenerateCell) -> bool:
        """Whether texts of a cell are made: an expected z asks only for those without a mark."""
        return not self.experiment.expected or any(cell.id == one.unmarked for one in self.evaluate)

    @property
    def digest(self) -> str:
        """Digest of everything that decides the results, texts included."""
        names = ("dtype", "top_p", "readings", "until_decided")
        later = {name for name in names if not getattr(self.experiment, name)}
        later |= set() if self.experiment.expected else {"estimate"}
        left_out = {"executor", "data"} | later
        content = {
            "experiment": self.experiment.model_dump(mode="json", exclude=left_out),
            "texts": {code: [texts.prompts, texts.human] for code, texts in self.texts.items()},
        }
        return digest_of(content)


def make_plan(registry: Registry, experiment: Experiment, folder: Path | None) -> Plan:
    """Lay out an experiment, and find what is wrong with it before any work.

    Args:
        registry: the plugins.
        experiment: as read; the plan's has the metrics by default where it names none, and says what keys
            are drawn by.
        folder: data folder that the paths in it are relative to.

    Raises:
        StelaError: a component is unknown, or a text file or table is missing.
    """
    names_metrics = "metrics" in experiment.model_fields_set
    experiment = with_key_per(registry, with_metrics(registry, experiment))
    texts, notes, sample = {}, [], []
    small = stand_in(registry)
    if not names_metrics and not experiment.metrics and not experiment.expected:
        notes.append("no metric is installed that is measured by default: docs/metrics.md lists metrics")
    for code, language in experiment.languages.items():
        texts[code], note = read_texts(registry, code, language, folder, experiment.texts, experiment.skip)
        notes += [note] if note else []
        sample += [code] if note or (small is not None and language.prompts == small) else []
    attacks = [(attack, languages_of(registry, experiment, attack)) for attack in experiment.attacks]
    for metric in experiment.metrics:
        registry.get(Metric, metric.name)
    labels = labels_of(experiment.schemes)
    generate: dict[str, GenerateCell] = {}
    evaluate: list[EvaluateCell] = []
    for model in experiment.models:
        for code in experiment.languages:
            for seed in experiment.seeds:
                plain = _generate_cell(registry, experiment, texts[code], model, code, seed, UNMARKED)
                if experiment.unmarked_texts:
                    generate.setdefault(plain.id, plain)
                for entry, label in zip(experiment.schemes, labels, strict=True):
                    if not takes_part(experiment, entry, code):
                        continue
                    marked = _generate_cell(registry, experiment, texts[code], model, code, seed, entry)
                    generate.setdefault(marked.id, marked)
                    for attack, languages in attacks:
                        if languages is None or code in languages:
                            evaluate.append(_evaluate_cell(experiment, marked, plain, label, entry, attack))
    return Plan(experiment, folder, texts, list(generate.values()), evaluate, notes, sample)


def takes_part(experiment: Experiment, entry: SchemeEntry, code: str) -> bool:
    """Whether a scheme is run in a language: by its ``languages`` and its ``tagset``."""
    if entry.languages is not None and code not in entry.languages:
        return False
    return entry.tagset is None or entry.tagset in experiment.languages[code].tagsets


def tagset_of(experiment: Experiment, entry: SchemeEntry, code: str) -> TagSet:
    """Tagger, k and table of a scheme in a language: the entry's own choices come first."""
    language: TagSet = experiment.languages[code]
    base = language if entry.tagset is None else experiment.languages[code].tagsets[entry.tagset]
    table = entry.table if isinstance(entry.table, str | None) else entry.table.get(code)
    if table is None and entry.k in (None, base.k):
        table = base.table
    return TagSet(tagger=base.tagger, k=entry.k or base.k, table=table)


def _generate_cell(
    registry: Registry,
    experiment: Experiment,
    texts: Texts,
    model: str,
    code: str,
    seed: int,
    entry: SchemeEntry,
) -> GenerateCell:
    parts = resolve_scheme(registry, entry.name)
    # With a tpr, what finds the texts decides how strongly they are marked.
    name = inserting(entry.name) if entry.tpr is None else entry.name
    inserted = resolve_scheme(registry, name)
    names = {*inserted.parameters.model_fields, *inserted.hasher_names(registry)}
    tagset = tagset_of(experiment, entry, code)
    reads_tags = "contexts" in parts.strength.needs or parts.strength.uses_table
    if entry.tpr is not None:
        reads_tags = parts.needs_contexts or parts.uses_table
    own = {**entry.parameters, **({} if entry.delta is None else {"delta": entry.delta})}
    generation = SchemeEntry(
        name=name,
        parameters={name: value for name, value in own.items() if name in names},
        mean_bias=entry.mean_bias,
        divergence=entry.divergence,
        surprisal=entry.surprisal,
        divergence_per_key=entry.divergence_per_key,
        tpr=entry.tpr,
        tpr_at=entry.tpr_at,
        surrogate=None if entry.tpr is None else entry.surrogate,
        gamma=entry.gamma,
        context_width=entry.context_width,
        bits=entry.bits,
        calibration=entry.calibration or experiment.calibration,
    )
    identity = {
        "model": model,
        "language": code,
        "prompts": texts.prompts,
        "seed": seed,
        "sampling": [
            *(experiment.temperature, experiment.batch_size, max(experiment.lengths)),
            *([] if experiment.dtype is None else [experiment.dtype]),
            *([] if experiment.top_p is None else [{"top_p": experiment.top_p}]),
        ],
        "strength": parts.strength.name,
        "hasher": parts.scheme.hasher,
        "key_per": experiment.key_per,
        "entry": generation.model_dump(mode="json", exclude={"name", "label"}),
        "tagset": tagset.model_dump() if reads_tags else None,
        **({} if entry.tpr is None else {"found_by": entry.name, "readings": experiment.readings}),
        **({"estimate": EXPECTED} if experiment.expected and entry is not UNMARKED else {}),
    }
    called = "unmarked" if entry is UNMARKED else parts.strength.name
    return GenerateCell(
        model, code, seed, generation, tagset, _slug("g", model, code, called, seed, identity)
    )


def untouched(attacks: Sequence[str]) -> str:
    """The attack that stands for none, by its label: ``none``, or the first where there is no such."""
    return NO_ATTACK if NO_ATTACK in attacks or not attacks else attacks[0]


def inserting(name: str) -> str:
    """The scheme that inserts as ``name`` does, with plain evidence: no model, no table to detect."""
    return f"{name.partition('+')[0]}{PLAIN}"


def _evaluate_cell(
    experiment: Experiment,
    marked: GenerateCell,
    plain: GenerateCell,
    label: str,
    entry: SchemeEntry,
    attack: Part,
) -> EvaluateCell:
    full = entry.model_copy(update={"calibration": entry.calibration or experiment.calibration})
    tagset = tagset_of(experiment, entry, marked.language)
    identity = {
        "marked": marked.id,
        "unmarked": plain.id,
        "entry": full.model_dump(mode="json"),
        "tagset": tagset.model_dump(),
        "attack": attack.model_dump(),
        "lengths": experiment.lengths,
        "keys": experiment.keys,
        "negatives": experiment.negatives,
        **({"readings": True} if experiment.readings else {}),
        **({"estimate": EXPECTED} if experiment.expected else {}),
        "metrics": [metric.model_dump() for metric in experiment.metrics],
    }
    name = _slug("e", marked.model, marked.language, label, attack.name, marked.seed, identity)
    return EvaluateCell(
        marked.id, plain.id, marked.model, marked.language, marked.seed, label, full, tagset, attack, name
    )


def languages_of(registry: Registry, experiment: Experiment, attack: Part) -> frozenset[str] | None:
    """Codes of the languages an attack is for; ``None`` for any.

    Raises:
        StelaError: the experiment has none of them, or there is no such attack.
    """
    languages = None if attack.name == NO_ATTACK else registry.get(Attack, attack.name).languages
    if languages is not None and not languages & set(experiment.languages):
        raise StelaError(
            f'attack "{attack.name}" is only for {", ".join(sorted(languages))}, and the experiment has '
            f"{', '.join(experiment.languages)}.",
            "take it out, or add such a language",
        )
    return languages


def _slug(kind: str, *parts: Any) -> str:
    *names, identity = parts
    readable = re.sub(r"[^A-Za-z0-9.=@+]+", "-", "-".join(map(str, names))).strip("-")
    return f"{kind}-{readable[:80]}-{digest_of(identity)[:12]}"


def parameters_of(cell: EvaluateCell) -> dict[str, Any]:
    """What a record says of the cell's scheme."""
    tagset = cell.tagset.model_dump(exclude_none=True)
    return {**cell.entry.model_dump(exclude_none=True), "tagset": tagset}
