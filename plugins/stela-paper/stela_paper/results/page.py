"""docs/results.md, put together from the runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from stela_paper.results import equal_bias, paper_figures, sentences, simple, strength, weights
from stela_paper.results.kept_sections import kept_sections
from stela_paper.results.markdown import listed
from stela_paper.results.models import EMBEDDED, figures_of, keep, marked, refresh
from stela_paper.results.reading import LANGUAGES, Run

HEAD = """# {title}

`make paper{option}` wrote this page: {which} of the STELA paper (Park et al., ACL 2026) and of our own, run on
{model}, {texts}. Each section is one experiment file: `stela run
docs/experiments/NAME.toml`; put a Hugging Face name in place of `tiny` to get the paper's experiment. Numbers in
brackets are 95 % intervals. {about}

**Protocol.** Each text is marked under a key of its own, drawn by seed and prompt; the texts of one prompt have the same
key under every scheme, so comparisons are paired, and drawing prompts anew (the bootstrap of all intervals) draws keys
with them. Unmarked texts are tested under their own keys, too. Where strengths are set equal, delta comes from a pilot on
other draws, for every scheme alike, and the mean bias that was then measured stands in the table. Each table of
comparisons has one correction (Holm) for all that it says. The first 100 prompts of each language are for choosing, the
others for judging: the experiments here skip the first 100. That split was fixed after the shipped tables were chosen:
what `learned-text` learns (its target and its smoothing) was chosen on texts after all 300 prompts, under other keys and
draws; the tables themselves and `tiny` saw none of these documents.

**Departures from the paper.** Tags at detection are those of a window of the text before a token, as at insertion, not
of the whole text. Tokens are scored from the second on (the first has no hash context). Sentences are not cut as its
Algorithm 1 does: 3.9 % of English and 8.6 % of Korean tokens sit in contexts that it would not have. p-values are exact
and a repeated pair of tokens is one coin, where the paper takes z as normal. Taggers, tables, prompts and models are others.

## The paper's claims
"""

SECTIONS: dict[str, tuple[str, Callable[[Run, Path], str]]] = {
    "detection": (
        "STELA is best on average (TPR at 5 % FPR and best F1), not in every language: in English KGW is ahead of it with "
        "Llama-3.2-1B, and EWD with Qwen3-0.6B. Delta 2, lambda averaged over context types; the table is below ours.",
        simple.detection,
    ),
    "equal-bias": (
        "The paper does not compare at equal mean applied bias. The table of the next section, of more prompts.",
        equal_bias.section,
    ),
    "strength": (
        "The paper does not compare at equal mean applied bias. This is the comparison at matched strength: same "
        "prompts, same keys, same mean bias, the same exact p-values.",
        strength.section,
    ),
    "perplexity": (
        "The paper shows the distributions of perplexity of text marked by each scheme.",
        sentences.told(simple.perplexity, sentences.perplexity),
    ),
    "context-length": (
        "Of k = 2 to 5 the paper finds k = 2 best in English, k = 4 in Chinese and Korean.",
        simple.contexts,
    ),
    "tagset": (
        "The paper compares language-specific tag sets (mean of lambda over types 0.575 / 0.523 / 0.475 for English, "
        "Chinese, Korean) with universal ones (0.686 / 0.643 / 0.647). TPR at 5 % FPR, universal then own, Llama: .948, .938; "
        ".976, .976; .928, .950.",
        simple.contexts,
    ),
    "decomposition": (
        "Of STELA's z content words have 43.1 % in English (function words 43.7 %), 67.1 % in Chinese and 74.4 % in Korean, "
        "by UD tags.",
        sentences.told(simple.classes, sentences.classes),
    ),
    "attacks": (
        "The paper replaces 10 to 50 % of the words by WordNet synonyms: best F1 stays above .85 in all models. After Dipper "
        "(English, Llama) it is .862, .869, .813 and .825 at lexical diversity 10, 20, 40 and 50, of .953 before.",
        sentences.told(simple.attacks, sentences.attacks),
    ),
    "scaling": (
        "From Qwen3-0.6B to 4B, TPR at 5 % FPR goes from .978 to .996 (English), .996 to .998 (Chinese) and .950 to .980 "
        "(Korean).",
        sentences.told(simple.scaling, sentences.scaling),
    ),
    "freedom": (
        "The paper's premise is that lambda stands for the model's freedom of choice: mean lambda and mean token entropy "
        "of sentences correlate with r = .351 on generated text (500 English texts of Llama).",
        sentences.told(simple.freedom, sentences.freedom),
    ),
    "null": (
        f"Mean and sd of the paper's z, of 500 unmarked texts of the model each: {paper_figures.unmarked()}.",
        sentences.told(simple.null, sentences.null),
    ),
}


WEIGHTS_ELSEWHERE = (
    "Nobody has this: weights for detection without a model, by how much of the way from uniform weights "
    "to those of the model (EWD; expected gain) they close. The peer to name is Invisible Entropy (Gu et al. 2025), "
    "a small network that predicts the entropy; the tables here are lookups in a public file."
)


@dataclass(frozen=True)
class Subject:
    """The model that a page is about."""

    name: str
    """Its short name."""
    words: str
    """Its name and size, in words."""

    @property
    def embedded(self) -> bool:
        """Whether it is the one that comes with the project."""
        return self.name == EMBEDDED

    @property
    def page(self) -> str:
        """File of its page."""
        return "results.md" if self.embedded else f"results-{self.name}.md"

    @property
    def figures(self) -> str:
        """Folder of its figures."""
        return "results" if self.embedded else f"results/{self.name}"

    def head(self, texts: str) -> str:
        """How its page begins."""
        if self.embedded:
            return HEAD.format(
                title="Results",
                option="",
                which="every experiment",
                model=f"the embedded model {self.words}",
                texts=texts,
                about="A model this small writes text of higher entropy than a real one: marks are found sooner, and "
                "gains of weighting are smaller.",
            )
        return HEAD.format(
            title=f"Results: {self.words}",
            option=" MODEL=FOLDER",
            which="experiments",
            model=self.words,
            texts=texts,
            about="The same experiments of the embedded model, and more of them, are in [results](results.md).",
        )


TINY = Subject(EMBEDDED, "`tiny` (6 M parameters)")


def write_page(
    runs: dict[str, Run],
    transfers: dict[str, Run],
    docs: Path,
    texts: str,
    subject: Subject = TINY,
) -> Path:
    """Write the page of a model and its figures, and bring other models' pages up to date; the page.

    Sections of a page that is there already stay where their experiment is not among the runs.

    Args:
        runs: by name of the experiment file.
        transfers: runs of the experiment ``weights`` on other models, by name of the model.
        docs: the folder.
        texts: which prompts and human texts were used.
        subject: the model.
    """
    docs.mkdir(parents=True, exist_ok=True)
    figures = docs / subject.figures
    kept = kept_sections(docs / subject.page, subject.figures)
    parts = [subject.head(texts), marked("claims", "") + "\n"]
    for name, (reported, section) in SECTIONS.items():
        if name in runs:
            kept[name] = _section(runs[name], name, reported, section(runs[name], figures))
        if name in kept:
            parts.append(kept[name])
        closing = next((one for of in (runs, kept) for one in ("weights", "transfer") if one in of), None)
        if name == "strength" and closing is not None:
            if closing in runs:
                body = weights.section(runs[closing], figures, transfers)
                kept[closing] = _section(runs[closing], closing, WEIGHTS_ELSEWHERE, body)
            parts.append(kept[closing])
    left = [name for name in SECTIONS if name not in kept]
    names = listed([f"`{name}.toml`" for name in left])
    ready = f" So {'is' if len(left) == 1 else 'are'} {names}." if left else ""
    parts.append(
        "## Not run here\n\n`dipper.toml` (an 11 B paraphraser) and `judge.toml` (an endpoint and a key) are ready "
        f"to run, their code is tested on small models and a local server; there are no results of them.{ready}\n"
    )
    text = "\n".join(parts).replace("](results/", f"]({subject.figures}/")
    page = docs / subject.page
    page.write_text(text, encoding="utf-8")
    refresh(docs, keep(docs, subject.name, figures_of(subject.words, subject.page, runs)))
    return page


def _section(run: Run, name: str, reported: str, body: str) -> str:
    experiment = run.experiment
    errors = sorted({f"{r['label']} ({r['language']}): {r['error']}" for r in run.failures})
    alone = [LANGUAGES[code] for code in run.languages]
    if len(alone) < len(LANGUAGES):
        body = f"In {listed(alone)} alone.\n\n{body}"
    lost = f"\nCells that failed: {listed(errors)}.\n" if errors else ""
    return (
        f"## {experiment['title']}\n\n`docs/experiments/{name}.toml`, {experiment['texts']} prompts a language after the "
        f"first {experiment['skip']}; its cells took {run.minutes:.0f} minutes. "
        f"{experiment['about']}\n\n**Paper.** {reported}\n\n**Here.**\n\n{body}{lost}"
    )
