"""Each claim of the paper, and whether it is seen here: from the numbers of the runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from stela_paper.results import paper_figures
from stela_paper.results.intervals import difference, signs
from stela_paper.results.markdown import cell, listed, table
from stela_paper.results.reading import LANGUAGES, Run

Runs = dict[str, Run]

EMBEDDED = {"tiny-small", "tiny"}
NOT_TESTED = "not tested"


def claims_of(runs: Runs) -> dict[str, str]:
    """What a model's runs say to each claim: seen, not seen; by the claim's name, those not tested left out."""
    said = {name: of(runs) for name, _, of in _claims()}
    return {name: words for name, words in said.items() if words != NOT_TESTED}


def claims_table(said: Mapping[str, Mapping[str, str]]) -> str:
    """A table: the claim with the paper's figures, and what each model's runs say, by the model's name."""
    rows = [(claim, *(of.get(name, NOT_TESTED) for of in said.values())) for name, claim, _ in _claims()]
    return table(("the paper", *said), rows)


def _claims() -> Iterable[tuple[str, str, Callable[[Runs], str]]]:
    averages = ", ".join(f"{name} {value:.3f}" for name, value in paper_figures.averages().items())
    yield (
        "average",
        f"STELA is found most on average (TPR at 5 % FPR over three models and languages: {averages}), though not in "
        "English with two of the three models",
        _most_on_average,
    )
    yield (
        "tags",
        "Tags of the language find more than universal ones in Korean (.950 to .928 with Llama); in English and Chinese "
        "they differ by .01 or less",
        lambda runs: _told_apart(runs, "tagset", "universal", "language-specific"),
    )
    yield (
        "k",
        "k = 2 is best in English, k = 4 in Korean and Chinese",
        lambda runs: _told_apart(runs, "context-length", "stela k=2", "stela k=4"),
    )
    yield (
        "synonyms",
        "With 50 % of the words replaced by synonyms, best F1 stays above .85 (English)",
        _synonyms,
    )
    yield (
        "content",
        "Content words carry 43 % of STELA's z in English, 67 % in Chinese, 74 % in Korean (with UD tags)",
        _content,
    )
    yield "size", "Found more in Qwen3-4B than in Qwen3-0.6B (.978 to .996 in English)", _size
    yield (
        "entropy",
        "Mean lambda and mean token entropy correlate by sentence, r = .351 (generated text, Llama, English)",
        _entropy,
    )
    yield (
        "unmarked",
        f"z of unmarked text has a mean near 0 and a spread above 1: {paper_figures.unmarked()}",
        _unmarked,
    )
    yield "dipper", "After Dipper best F1 is .81 to .87", lambda runs: "not tested: an 11 B paraphraser"
    yield (
        "judge",
        "A judge prefers STELA's text in 52.1 % of pairs",
        lambda runs: "not tested: an endpoint and a key",
    )


def _most_on_average(runs: Runs) -> str:
    run = runs.get("detection")
    if run is None:
        return NOT_TESTED
    lengths = run.experiment["lengths"]
    told = "; ".join(_best_at(run, length) for length in dict.fromkeys((lengths[0], lengths[-1])))
    alone = [LANGUAGES[code] for code in run.languages]
    where = "" if len(alone) == len(LANGUAGES) else f"in {listed(alone)} alone, "
    return f"{where}{told}; not at equal strength"


def _best_at(run: Run, length: int) -> str:
    means = {}
    for label in run.labels:
        rates = [run.value("tpr@0.05:human", language=c, label=label, length=length) for c in run.languages]
        known = [rate["value"] for rate in rates if rate]
        means[label] = sum(known) / max(1, len(known))
    top = max(means.values())
    alone = means.get("stela", 0.0) == top and list(means.values()).count(top) == 1
    shown = ", ".join(f"{label} {mean:.3f}" for label, mean in means.items())
    return f"{'seen' if alone else 'not seen'} at {length} tokens: {shown}"


def _told_apart(runs: Runs, name: str, one: str, other: str) -> str:
    run = runs.get(name)
    if run is None:
        return NOT_TESTED
    length = run.experiment["lengths"][-1]
    pairs = [
        (code, run.paired(run.scores(code, one, length), run.scores(code, other, length)))
        for code in run.languages
    ]
    gaps = [(code, difference(of)) for code, of in pairs if len(of.prompts)]
    told = [
        f"{LANGUAGES[code]} {gap}{'' if sign else ', not told apart'}"
        for (code, gap), sign in zip(gaps, signs([gap for _, gap in gaps]), strict=True)
    ]
    return f"z of {one} less that of {other}, at equal mean bias: {'; '.join(told)}"


def _synonyms(runs: Runs) -> str:
    run = runs.get("attacks")
    attacks = [r["attack"] for r in run.records if r["attack"].startswith("wordnet(share=0.5")] if run else []
    value = (
        run.value("f1:human", language="en", label="stela", attack=attacks[0]) if run and attacks else None
    )
    if value is None:
        return NOT_TESTED
    return f"{'seen' if value['low'] > 0.85 else 'not seen'}: {cell(value)}, of texts of 200 tokens"


def _content(runs: Runs) -> str:
    run = runs.get("decomposition")
    if run is None:
        return NOT_TESTED
    parts = []
    for code in run.languages:
        part, whole = (
            run.value(name, language=code, label="stela") for name in ("classes-content-part", "classes-z")
        )
        if part and whole:
            parts.append(f"{LANGUAGES[code]} {part['value'] / whole['value']:.0%}")
    return f"{', '.join(parts)}, by each language's own tags"


def _size(runs: Runs) -> str:
    run = runs.get("scaling")
    if run is None or set(run.experiment["models"]) != EMBEDDED:
        return NOT_TESTED
    return "not tested: two models of 1.3 and 6 M parameters, with tokenizers of their own, are no scale"


def _entropy(runs: Runs) -> str:
    run = runs.get("freedom")
    parts = []
    for prefix, told in (
        ("freedom-marked", "marked text"),
        ("freedom-model", "the model's own"),
        ("freedom", "human text"),
    ):
        name = f"{prefix}-sentence-shannon-pearson"
        value = run.value(name, language="en", label="stela") if run else None
        if value is not None:
            parts.append((value["low"] > 0, f"{told} r = {cell(value)}"))
    if not parts:
        return NOT_TESTED
    told = "; ".join(part for _, part in parts)
    if len(parts) == 1:
        return f"not tested on generated text; {told}"
    return f"{'seen' if parts[0][0] else 'not seen'}: {told}"


def _unmarked(runs: Runs) -> str:
    run = runs.get("null")
    if run is None:
        return NOT_TESTED
    length = run.experiment["lengths"][-1]
    parts = []
    for code in run.languages:
        where = {"language": code, "label": "kgw", "length": length}
        plain, grouped = (run.value(f"null-{z}-sd:model", **where) for z in ("z-plain", "z"))
        parts.append(f"{LANGUAGES[code]} {cell(plain)}, of grouped z {cell(grouped)}")
    return f"seen; sd of plain z at {length} tokens: {'; '.join(parts)}"
