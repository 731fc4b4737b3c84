"""docs/results.md, put together from the runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from scripts.results import found, simple, strength, weights
from scripts.results.markdown import listed
from scripts.results.reading import Run

HEAD = """# Results

`make paper` wrote this page: every experiment of the STELA paper (Park et al., ACL 2026) and some of our own, run on
the embedded model `tiny` (6 M parameters), {texts}. Each section is one experiment file: `stela run
docs/experiments/NAME.toml`; put a Hugging Face name in place of `tiny` to get the paper's experiment. Numbers in
brackets are 95 % intervals. A model this small writes text of higher entropy than a real one: marks are found
sooner, and gains of weighting are smaller. The tables of the paper itself were not at hand when this was written:
what is said of it is its abstract and the constants it gives.
"""

SECTIONS: dict[str, tuple[str, Callable[[Run, Path], str]]] = {
    "detection": (
        "The paper reports that STELA surpasses KGW, SWEET, EWD and MorphMark in detection in all three languages, "
        "at delta 2 with lambda averaged over context types.",
        simple.detection,
    ),
    "strength": (
        "The paper does not compare at equal mean applied bias. This is the comparison at matched strength: same "
        "prompts, same keys, same mean bias, grouped p-values.",
        strength.section,
    ),
    "perplexity": (
        "The paper shows the distributions of perplexity of text marked by each scheme.",
        found.told(simple.perplexity, found.perplexity),
    ),
    "context-length": (
        "The paper takes k = 2 for English and k = 4 for Chinese and Korean, after comparing k = 2 to 5.",
        simple.contexts,
    ),
    "tagset": (
        "The paper compares language-specific tag sets (mean of lambda over types 0.575 / 0.523 / 0.475 for English, "
        "Chinese, Korean) with universal ones (0.686 / 0.643 / 0.647).",
        simple.contexts,
    ),
    "decomposition": (
        "The paper decomposes z by content words, function words and others.",
        found.told(simple.classes, found.classes),
    ),
    "attacks": (
        "The paper replaces 10 to 50 % of the words by WordNet synonyms and paraphrases with Dipper; its abstract says "
        "that STELA surpasses prior methods in robustness.",
        found.told(simple.attacks, found.attacks),
    ),
    "scaling": (
        "The paper repeats detection with models of several sizes.",
        found.told(simple.scaling, found.scaling),
    ),
    "freedom": (
        "The paper's premise is that lambda stands for the model's freedom of choice; it shows the correlation of "
        "lambda with token entropy by sentence.",
        found.told(simple.freedom, found.freedom),
    ),
    "null": (
        "The paper looks at the empirical distribution of z on unmarked text.",
        found.told(simple.null, found.null),
    ),
}


def write_page(
    runs: dict[str, Run], transfers: dict[str, Run], docs: Path, minutes: float, texts: str
) -> None:
    """Write ``docs/results.md`` and its figures.

    Args:
        runs: by name of the experiment file.
        transfers: runs of the experiment ``weights`` on other models, by name of the model.
        docs: the folder.
        minutes: that all took.
        texts: which prompts and human texts were used.
    """
    docs.mkdir(parents=True, exist_ok=True)
    figures = docs / "results"
    parts = [HEAD.format(texts=texts)]
    for name, (reported, section) in SECTIONS.items():
        if name in runs:
            parts.append(_section(runs[name], name, reported, section(runs[name], figures)))
        if name == "strength" and "weights" in runs:
            body = weights.section(runs["weights"], figures, transfers)
            reported = (
                "Nobody has this: weights for detection without a model, by how much of the way from uniform weights "
                "to EWD (which needs the model) they close. The peer to name is Invisible Entropy (Gu et al. 2025), "
                "a small network that predicts the entropy; the tables here are lookups in a public file."
            )
            parts.append(_section(runs["weights"], "weights", reported, body))
    parts.append(
        "## Not run here\n\n`dipper.toml` (an 11 B paraphraser) and `judge.toml` (an endpoint and a key) are ready "
        "to run, their code is tested on small models and a local server; there are no results of them.\n"
    )
    parts.append(f"All of it took {minutes:.0f} minutes on 2 CPU cores.\n")
    (docs / "results.md").write_text("\n".join(parts), encoding="utf-8")


def _section(run: Run, name: str, reported: str, body: str) -> str:
    experiment = run.experiment
    errors = sorted({f"{r['label']} ({r['language']}): {r['error']}" for r in run.failures})
    lost = f"\nCells that failed: {listed(errors)}.\n" if errors else ""
    return (
        f"## {experiment['title']}\n\n`docs/experiments/{name}.toml`, {experiment['texts']} prompts a language. "
        f"{experiment['about']}\n\n**Paper.** {reported}\n\n**Here.**\n\n{body}{lost}"
    )
