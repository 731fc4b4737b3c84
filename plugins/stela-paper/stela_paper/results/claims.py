"""Each claim of the paper, and whether it is seen here: from what is kept of the runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from stela_paper.results import paper_figures
from stela_paper.results.grids import Row, value
from stela_paper.results.intervals import ALIKE, LESS, MORE
from stela_paper.results.kept import Section
from stela_paper.results.markdown import listed, table
from stela_paper.results.sentences import MEAN, SENTENCES

Sections = Mapping[str, Section]

NOT_TESTED = "not tested"


def claims_table(models: Mapping[str, Sections], answered: int | None = None) -> str:
    """A table: the claim with the paper's figures, and what each model's runs say, by the model's name.

    Args:
        models: their sections, by name.
        answered: number of the model; only claims with a yes or no on it are shown. By default all are.
    """
    averages = {name: f"{number:.3f}" for name, number in paper_figures.averages().items()}
    claims = (
        (
            f"STELA is found most on average (TPR at 5 % FPR {averages['STELA']}, KGW {averages['KGW']}), but in English "
            "KGW with Llama-3.2-1B, EWD with Qwen3-0.6B",
            _most_on_average,
        ),
        (
            "Tags of the language beat universal ones in Korean only",
            lambda of: _apart(of, "tagset", "universal"),
        ),
        (
            "Of k = 2 to 5, k = 2 is best in English, k = 4 in Korean and Chinese",
            lambda of: _apart(of, "context-length", "stela k=4"),
        ),
        ("With half of the words replaced by synonyms, best F1 stays above .85 (English)", _synonyms),
        (
            "Content words carry 43.1, 67.1, 74.4 % of STELA's z, by UD tags (function words in English 43.7 %); here by each "
            "language's own tags",
            _content,
        ),
        ("Found more in Qwen3-4B than in Qwen3-0.6B", lambda _: NOT_TESTED),
        (
            "Lambda and the model's entropy correlate by sentence, r = .351 (500 generated texts, English)",
            _entropy,
        ),
        (
            "z of unmarked text has a spread above 1: 1.12, 2.22, 2.95 (KGW)",
            _unmarked,
        ),
        ("After Dipper best F1 is .81 to .87", lambda _: NOT_TESTED),
        ("A judge prefers STELA's text in 52.1 % of pairs", lambda _: NOT_TESTED),
    )
    rows = [(claim, [says(of) for of in models.values()]) for claim, says in claims]
    shown = [
        (claim, *told)
        for claim, told in rows
        if answered is None or re.match("(yes|no)( at|:)", told[answered])
    ]
    return table(("the paper", *models), shown) if shown else ""


def _most_on_average(of: Sections) -> str:
    if "detection" not in of:
        return NOT_TESTED
    rates: dict[str, dict[str, str]] = {}
    for row in of["detection"].tables["mean"]:
        rates.setdefault(row["tokens"], {})[row["scheme"]] = row[MEAN]
    ends = list(dict.fromkeys((next(iter(rates)), list(rates)[-1])))
    return "; ".join(_best_at(length, rates[length]) for length in ends)


def _best_at(length: str, rates: Mapping[str, str]) -> str:
    top = max(rates.values())
    first = [name for name, rate in rates.items() if rate == top]
    seen = "yes" if first == ["stela"] else "no"
    others = ", ".join(f"{name} {rates[name]}" for name in dict.fromkeys((*first, "stela")) if name in rates)
    return f"{seen} at {length} tokens: {others}"


def _apart(of: Sections, name: str, scheme: str) -> str:
    """How a variant compares with the first one."""
    if name not in of:
        return NOT_TESTED
    rows = [row for row in of[name].rows if row["scheme"] == scheme]
    told = [
        f"{scheme} {'better' if row['verdict'] == MORE else 'worse'} in {row['language']}"
        for row in rows
        if row["verdict"] in (MORE, LESS)
    ]
    return listed(told) if told else ALIKE if rows else NOT_TESTED


def _synonyms(of: Sections) -> str:
    rows = of["attacks"].rows if "attacks" in of else []
    halved = [
        row
        for row in rows
        if re.match(r"wordnet\(share=0.5\b", row["attack"]) and row["language"] == "English"
    ]
    if not halved:
        return NOT_TESTED
    f1 = halved[0]["stela: best F1"]
    low = float(f1.partition("[")[2].partition(",")[0])
    return f"{'yes' if low > 0.85 else 'no'}: {f1}"


def _content(of: Sections) -> str:
    if "decomposition" not in of:
        return NOT_TESTED
    rows = [row for row in of["decomposition"].rows if row["scheme"] == "stela"]
    return f"{', '.join(row['content: share of z'].removesuffix('%') for row in rows)} %"


def _entropy(of: Sections) -> str:
    rows = [row for row in of["freedom"].rows if _is_lambda(row)] if "freedom" in of else []
    if not rows:
        return NOT_TESTED
    r = rows[0][SENTENCES]
    return f"{'yes' if float(r.partition('[')[2].partition(',')[0]) > 0 else 'no'}: {r}"


def _is_lambda(row: Row) -> bool:
    return (row["language"], row["scheme"], row["text"]) == ("English", "stela", "marked text")


def _unmarked(of: Sections) -> str:
    if "null" not in of:
        return NOT_TESTED
    all_rows: Iterable[Row] = of["null"].rows
    last = of["null"].rows[-1]["tokens"]
    rows = [
        row
        for row in all_rows
        if (row["tokens"], row["scheme"]) == (last, "kgw") and row["text"] != "human text"
    ]
    plain, grouped = (
        ", ".join(f"{float(value(row[name])):.2f}" for row in rows) for name in ("sd of plain z", "sd of z")
    )
    return f"plain z: {plain}; z of the test: {grouped}"
