"""False alarms down to 1e-5: human documents under many keys, the worst of 100 keys, and checked keys."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from stela_analysis.shares import clustered_clopper_pearson
from stela_models.load import load_model
from stela_models.logits import ModelLogits
from stela_run.null.check import DRAWS
from stela_run.null.shift import ERROR, shift_under_key
from stela_run.null.unmarked import Unmarked
from stela_run.statistics.shares import clopper_pearson

from benchmarks.null_tables import LEVELS, NullTables, null_tables
from benchmarks.texts import Texts, has_tagger, needs_contexts, registry, watermark
from stela_core.interfaces import Hasher

FIXED = 100
"""Keys whose worst is looked at."""

ALPHA = 1e-3

CHECKED = 20
"""Keys under which every look-up is compared with the scorer's own p-value."""


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print nominal and observed rates per language and scheme."""
    print(f"at least {args.tests:.0e} tests a row: documents of 50, 100, 200 and 400 tokens x keys")
    print("[95 % intervals] over keys: Korn-Graubard with keys as clusters, the documents given;")
    print("over documents: Clopper-Pearson, documents as independent draws, the key given\n")
    for language in args.languages.split(","):
        rows, sources = texts.cut(language)
        if not rows:
            print(f"{language}: no human text here")
            continue
        tagged = has_tagger(language)
        schemes = [s for s in args.schemes.split(",") if tagged or not needs_contexts(s)]
        for levels, z in measure(schemes, language, rows, args.tests, args.seed):
            report(levels, z, np.array(sources))


Measured = tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]
"""Levels passed, and z, (keys, documents) each."""


def measure(
    schemes: list[str], language: str, rows: list[list[int]], tests: float, seed: int
) -> Iterator[Measured]:
    """What each scheme gives, its first lines printed; all schemes see the same keys."""
    tables: dict[str, NullTables] = {}
    hashers: dict[str, Hasher] = {}
    for scheme in schemes:
        mark = watermark(scheme, language)
        logits = ModelLogits(*load_model(registry(), "tiny")) if mark.needs_model_to_detect else None
        evidence = mark.detector.evidence(rows, logits)
        hashers[scheme] = mark.parts.hasher
        texts = Unmarked(evidence, mark.parts.hasher, mark.parts.scorer)
        tables[scheme] = null_tables(texts, mark.parts.hasher.law.share_above)
    count = max(FIXED, -(-int(tests) // min(table.texts.count for table in tables.values())))
    keys = np.random.default_rng(seed).integers(0, 2**64, count, dtype=np.uint64).tolist()
    for scheme in schemes:
        print(f"{scheme}, {language}: {tables[scheme].texts.count} documents x {count} keys")
        row("nominal", [f"{level:.0e}" for level in LEVELS])
        row("steps of p allow", [f"{size:.2e}" for size in tables[scheme].attained.mean(1)])
        yield under_keys(tables[scheme], hashers[scheme], keys)


def under_keys(table: NullTables, hasher: Hasher, keys: list[int]) -> Measured:
    """Levels passed and z of all texts under each key, (keys, documents) each."""
    shape = (len(keys), table.texts.count)
    levels, z = np.empty(shape, np.int8), np.empty(shape, np.float32)
    for number, key in enumerate(keys):
        own = hasher.under(key)
        green = table.texts.green(own)
        levels[number] = table.passed(green)
        z[number] = table.texts.z_of(green, own.law)
        if number < CHECKED:
            p_values = table.texts.p_values(own)
            if levels[number].tolist() != [sum(p <= level for level in LEVELS) for p in p_values]:
                raise SystemExit(f"key {key}: the tables pass other levels than the scorer's p-values")
    print(f"  look-ups equal the scorer's p-values under {min(CHECKED, len(keys))} keys")
    return levels, z


def report(levels: npt.NDArray[np.int8], z: npt.NDArray[np.float32], sources: npt.NDArray[np.str_]) -> None:
    """Print the rows of one scheme and language."""
    row("random keys, over keys", [over_keys(levels > n) for n in range(len(LEVELS))])
    # Lengths come in turns of four: whole turns go to either half.
    half = np.arange(levels.shape[1]) // 4 % 2 == 0
    shift = z.mean(1)
    error = shift.std() / len(shift) ** 0.5
    print(
        f"  mean z of a key: mean {shift.mean():+.4f} (standard error {error:.4f}), "
        f"sd {shift.std():.3f}, largest of {FIXED} {shift[:FIXED].max():+.3f}"
    )
    by_first_half("", levels[:FIXED], z[:FIXED], half)
    accepted = accepted_keys(z[:, half])
    print(f"  accepted on one half of the documents: {accepted.sum()} of {len(accepted)} keys")
    if accepted.any():
        held = levels[accepted][:, ~half]
        row("accepted, other half, over keys", [over_keys(held > n) for n in range(len(LEVELS))])
    by_first_half("accepted ", levels[accepted][:FIXED], z[accepted][:FIXED], half)
    for source in np.unique(sources):
        own = sources == source
        accepted = accepted_keys(z[:, own])
        if accepted.sum() >= 2 and not own.all():
            elsewhere = levels[accepted][:, ~own]
            name = f"accepted on {source} ({accepted.mean():.0%}), others"
            row(name, [over_keys(elsewhere > n) for n in range(len(LEVELS))])
    print(flush=True)


def by_first_half(
    kind: str, levels: npt.NDArray[np.int8], z: npt.NDArray[np.float32], half: npt.NDArray[np.bool_]
) -> None:
    """The worst keys, chosen on one half of the documents, on the other; and the highest rates there."""
    if len(z) < 2:
        return
    order = np.argsort(-z[:, half].mean(1))
    other = levels[:, ~half]
    row(
        f"worst of {len(z)} {kind}keys, other half",
        [over_documents(other[order[:1]] > n) for n in range(len(LEVELS))],
    )
    row(
        f"worst ten {kind}keys, other half",
        [over_documents(other[order[:10]] > n) for n in range(len(LEVELS))],
    )
    hits, count = [(other > n).sum(1).max() for n in range(len(LEVELS))], other.shape[1]
    confidence = 1 - 0.05 / len(z)
    cells = [cell(h / count, clopper_pearson(int(h), count, confidence)) for h in hits]
    row(f"highest of {len(z)} {kind}keys (Bonferroni)", cells)


def accepted_keys(z: npt.NDArray[np.float32]) -> npt.NDArray[np.bool_]:
    """Which keys ``stela profile new --check-null`` accepts by these z, (keys, documents) -> (keys,)."""
    documents = np.arange(z.shape[1])
    return np.array(
        [shift_under_key(row.astype(float), documents, ALPHA, ERROR / DRAWS).accepted for row in z]
    )


def over_keys(hits: npt.NDArray[np.bool_]) -> str:
    """Rate of hits (keys, documents) with the interval whose clusters are keys."""
    return over_rows(hits)


def over_documents(hits: npt.NDArray[np.bool_]) -> str:
    """Rate of hits (keys, documents) with the interval whose clusters are documents."""
    return over_rows(hits.T)


def over_rows(hits: npt.NDArray[np.bool_]) -> str:
    """Rate of hits (clusters, trials) with its interval."""
    trials = np.full(len(hits), float(hits.shape[1]))
    return cell(float(hits.mean()), clustered_clopper_pearson(hits.sum(1).astype(float), trials))


def cell(rate: float, interval: tuple[float, float]) -> str:
    """``rate [low, high]``."""
    return f"{rate:.2e} [{interval[0]:.2e}, {interval[1]:.2e}]"


def row(name: str, cells: list[str]) -> None:
    """One line of the table."""
    print(f"  {name:42}" + "".join(f"{text:>34}" for text in cells), flush=True)
