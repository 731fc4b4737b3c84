"""Which rule for repeats, and what splitting ties gives: rules side by side on the same marked texts.

Each text has a key of its own. Colours, weights and groups are worked out once; a rule is then a line
of numpy. A rule is chosen on the texts of even number, and all rules are reported on the others.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from stela_run.null.unmarked import Unmarked
from stela_run.statistics.bootstrap import mean_ends

from benchmarks.repeats_texts import Case, Coloured, cases, coloured, mark_of, marked, prompts_of
from benchmarks.texts import Texts, watermark
from stela_core.builtin.scorers import GroupedParameters, GroupedScorer
from stela_core.statistics.grouping import order_of_groups
from stela_core.statistics.p_value import split_tail_probability, tail_probability
from stela_core.statistics.repeats import EXPONENTS
from stela_core.statistics.zscore import z_score

COUNT = 30
"""Texts of a case."""

LENGTHS = (25, 50, 100, 200, 400)
GAMMA = 0.5
KEYS = 100
"""Keys whose shift on human text is looked at."""

HUMAN = 1000
"""Human texts of a kind, at most."""

Floats = npt.NDArray[np.float64]

RULES: dict[str, Callable[[Floats], Floats]] = {
    "n": lambda n: n,
    "n^.75": lambda n: n**0.75,
    "n^.5": lambda n: n**0.5,
    "n^.33": lambda n: n ** (1 / 3),
    "n^.25": lambda n: n**0.25,
    "n^.15": lambda n: n**0.15,
    "1": lambda n: n**0,
    "1+log n": lambda n: 1 + np.log(n),
    "2-1/n": lambda n: 2 - 1 / n,
}
"""Weight of a pair of n tokens with mean weight 1."""

CHOSEN = "n^.25"


@dataclass(frozen=True)
class Scores:
    """What the rules give for the texts of one case and length; ties split, and whole."""

    z: dict[str, Floats]
    split: dict[str, Floats]
    whole: dict[str, Floats]


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print the rules by kind of text, before and after by length, the pasted prompt and keys' shifts."""
    scores: dict[tuple[str, str, float, int], Scores] = {}
    pasted: dict[str, Scores] = {}
    for number, case in enumerate(cases()):
        made = of_case(number, case, texts)
        for scheme, tokens, rows in made:
            if tokens == 0:
                pasted[case.language] = score(rows)
            else:
                scores[case.genre, scheme, case.delta, tokens] = score(rows)
    report(scores)
    for language, one in pasted.items():
        row(
            f"a prompt pasted three times in front of 100 tokens, {language}", means(one.z, slice(1, None, 2))
        )
    shifts(texts)


def of_case(number: int, case: Case, texts: Texts) -> Iterator[tuple[str, int, list[Coloured]]]:
    """Texts of a case, each cut to each length and weighed by each scheme; length 0 is the pasted prompt."""
    drawn = np.random.default_rng([2026, number]).integers(0, 2**64, COUNT, dtype=np.uint64)
    keys, prompts = [int(key) for key in drawn], prompts_of(case, COUNT, texts.data)
    mark = mark_of(case.scheme, case.language, case.delta)
    rows = marked(case, mark, keys, prompts, number)
    for scheme in case.evidence:
        for tokens in (50, 200) if scheme != case.scheme else LENGTHS:  # what runs the model takes long
            if tokens <= case.tokens:
                cut = [ids[:tokens] for ids in rows]
                yield scheme, tokens, coloured(scheme, case, mark, cut, keys, prompts)
    if case.scheme == "kgw" and case.delta == 2 and case.genre == case.language:
        before = [mark.detector.ids_of([prompt])[0] for prompt in prompts]
        with_prompt = [3 * p + ids[:100] for p, ids in zip(before, rows, strict=True)]
        yield "kgw", 0, coloured("kgw", case, mark, with_prompt, keys, prompts)


def score(rows: list[Coloured]) -> Scores:
    """All rules on some texts."""
    z, split, whole = (dict[str, list[float]]() for _ in range(3))
    for one in rows:
        n = np.bincount(one.groups).astype(float)
        mean = np.bincount(one.groups, one.weights) / n
        colours = np.zeros(len(n), dtype=np.bool_)
        colours[one.groups[one.green]] = True
        order = order_of_groups(one.groups)
        n, mean, colours = n[order], mean[order], colours[order]
        for name, rule in RULES.items():
            stakes = mean * rule(n)
            z.setdefault(name, []).append(z_score(colours, stakes, GAMMA))
            split.setdefault(name, []).append(split_tail_probability(colours, stakes, GAMMA))
            whole.setdefault(name, []).append(tail_probability(colours, stakes, GAMMA))
    return Scores(*({name: np.array(v) for name, v in one.items()} for one in (z, split, whole)))


def report(scores: dict[tuple[str, str, float, int], Scores]) -> None:
    """Print the choice on one half, and the rules on the other."""
    first, second = slice(0, None, 2), slice(1, None, 2)
    kinds: defaultdict[str, list[Scores]] = defaultdict(list)
    for (genre, _, _, _), one in scores.items():
        kinds[genre].append(one)
    print(f"{COUNT} texts of each kind, scheme, delta and length, a key each; ties split\n")
    row("weight of a pair of n tokens", list(RULES))
    for name, half in (("chosen on these", first), ("reported on these", second)):
        print(name)
        for kind, some in kinds.items():
            row(f"  {kind}: mean z", over(some, lambda s: s.z, half))
            row(f"  {kind}: mean -log10 p", over(some, lambda s: logs(s.split), half))
            row(f"  {kind}: p <= .01", over(some, lambda s: within(s.split), half))
        everything = [average(some, lambda s: logs(s.split), half) for some in kinds.values()]
        row("  all kinds alike: mean -log10 p", [f"{m:.3f}" for m in np.mean(everything, axis=0)])
    print("\nreported half: -log10 p less that of the sum, by text, with 95 % bootstrap intervals")
    for kind, some in kinds.items():
        gains = [
            np.concatenate([logs(s.split)[r][second] - logs(s.split)["n"][second] for s in some])
            for r in RULES
        ]
        row(f"  {kind}", [interval(gain) for gain in gains])
    before_and_after(scores)


def before_and_after(scores: dict[tuple[str, str, float, int], Scores]) -> None:
    """Print medians by length: before, each of the two alone, both."""
    print("\nmedian -log10 p / share at p <= .01, all texts: before, repeats alone, ties alone, both")
    for (genre, scheme, delta, tokens), one in sorted(scores.items()):
        pairs = [one.whole["n"], one.whole[CHOSEN], one.split["n"], one.split[CHOSEN]]
        cells = [f"{np.median(-np.log10(p)):.2f} / {(p <= 0.01).mean():.2f}" for p in pairs]
        gain = interval(np.log10(pairs[0]) - np.log10(pairs[3]))
        print(
            f"  {genre:12}{scheme:14}{delta:4g}{tokens:5}"
            + "".join(f"{c:>15}" for c in cells)
            + f"   mean {gain}"
        )


def shifts(texts: Texts) -> None:
    """Print the sd over keys of the mean z of human text."""
    print(f"\nsd over {KEYS} keys of the mean z of human texts of 50 to 400 tokens, KGW")
    mark = watermark("kgw", "en")
    keys = np.random.default_rng(4).integers(0, 2**64, KEYS, dtype=np.uint64).tolist()
    for language in ("en", "zh", "ko", "code", "table", "list"):
        rows = texts.cut(language)[0][:HUMAN]
        if not rows:
            continue
        evidence = mark.detector.evidence(rows)
        cells = []
        for rule in EXPONENTS:
            unmarked = Unmarked(evidence, mark.parts.hasher, GroupedScorer(GroupedParameters(repeats=rule)))
            means_of_keys = [unmarked.z_scores(mark.parts.hasher.under(key)).mean() for key in keys]
            cells.append(f"{rule} {np.std(means_of_keys):.3f}")
        row(f"  {language}, {len(rows)} texts", cells)


def logs(p: dict[str, Floats]) -> dict[str, Floats]:
    """Minus the decimal logarithms."""
    return {name: -np.log10(values) for name, values in p.items()}


def within(p: dict[str, Floats]) -> dict[str, Floats]:
    """Whether p is within 1 %."""
    return {name: (values <= 0.01).astype(float) for name, values in p.items()}


def average(some: list[Scores], what: Callable[[Scores], dict[str, Floats]], half: slice) -> list[float]:
    """Mean of each rule over some cases."""
    return [float(np.mean([what(one)[name][half].mean() for one in some])) for name in RULES]


def over(some: list[Scores], what: Callable[[Scores], dict[str, Floats]], half: slice) -> list[str]:
    """The same, printed."""
    return [f"{value:.3f}" for value in average(some, what, half)]


def means(values: dict[str, Floats], half: slice) -> list[str]:
    """Mean of each rule."""
    return [f"{values[name][half].mean():.2f}" for name in RULES]


def interval(values: Floats) -> str:
    """Mean and its 95 % bootstrap interval."""
    low, high = mean_ends(values, 2000, 0)
    return f"{values.mean():+.2f} [{low:+.2f}, {high:+.2f}]"


def row(name: str, cells: list[str]) -> None:
    """One line of the table."""
    print(f"{name:44}" + "".join(f"{text:>22}" for text in cells), flush=True)
