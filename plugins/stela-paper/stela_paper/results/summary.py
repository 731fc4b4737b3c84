"""What was found, in plain words: at most five lines, under a picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from stela_paper.results import sentences, weight_sentences
from stela_paper.results.grids import number
from stela_paper.results.kept import Section
from stela_paper.results.markdown import listed
from stela_paper.results.over_kgw import found_more
from stela_paper.results.reading import LANGUAGES
from stela_paper.results.simple import FOUND
from stela_paper.results.words import compared, ends

PICTURE = "![share of texts found, by length](results/detection.svg)\n"


def summary(sections: Mapping[str, Section]) -> str:
    """A list under its heading, a line for each question that was asked; nothing where none was."""
    lines = [said(sections[name]) for name, said in SAID.items() if name in sections]
    picture = f"{PICTURE}\n" if "detection" in sections else ""
    return "\n".join((picture + "**What was found**\n", *(f"- {line}" for line in lines))) if lines else ""


def _equal(section: Section) -> str:
    told = compared("STELA", "KGW", section.rows).replace("There is", "there is")
    return f"At equal mean bias ({_prompts(section)}), {told}"


def _strength(section: Section) -> str:
    rows = section.tables.get("perplexity", [])
    if all(row["verdict"] == "–" for row in rows):
        return _equal(section)
    return f"{_equal(section)} At equal perplexity: {sentences.at_equal_perplexity(rows)}"


def _prompts(section: Section) -> str:
    about = section.about
    some = "a language" if len(about.languages) == len(LANGUAGES) else f"in {listed(about.languages)} only"
    return f"{about.prompts} prompts {some}"


def _weights(section: Section) -> str:
    return weight_sentences.best_weight(section.rows)


def _own(section: Section) -> str:
    return _weights(section) + (
        f" At equal mean bias, {weight_sentences.own_weights(section.tables['own'])}"
        if "own" in section.tables
        else ""
    )


def _attacks(section: Section) -> str:
    column = f"stela: {FOUND}"
    rows = [row for row in section.rows if row["attack"] != "none"]
    least = min(rows, key=lambda row: number(row[column]))
    share = number(least[column])
    others = [row[column] for row in rows if row is not least]
    apart = all("[" in one and ends(least[column])[1] < ends(one)[0] for one in others)
    fewest = f", fewest after `{least['attack']}`" if others and apart else ""
    return (
        f"After every attack at least {100 * share:.0f} % of STELA's texts are found ({least['tokens']} tokens before "
        f"it, p ≤ 0.01){fewest}."
    )


SAID: dict[str, Callable[[Section], str]] = {
    "strength": _strength,
    "equal-bias": _equal,
    "detection": found_more,
    "weights": _own,
    "attacks": _attacks,
}
"""Functions that write a section's summary, by name of the experiment."""
