"""Where STELA is found more than KGW at the paper's strength."""

from __future__ import annotations

from stela_paper.results.grids import languages
from stela_paper.results.kept import Section
from stela_paper.results.markdown import listed
from stela_paper.results.words import each, ends


def over_kgw(section: Section) -> tuple[str, bool]:
    """Sentence on where STELA is found more than KGW at the paper's strength, and whether it is anywhere.

    Found more means that the two 95 % intervals of the share found do not overlap, at the first length.
    """
    first = section.rows[0]["tokens"]
    cells = {
        (row["language"], row["scheme"]): row["TPR at 1 % FPR"]
        for row in section.rows
        if row["tokens"] == first
    }
    ahead = [
        one
        for one in languages(section.rows)
        if {(one, "kgw"), (one, "stela")} <= cells.keys()
        and all("[" in cells[one, scheme] for scheme in ("kgw", "stela"))
        and ends(cells[one, "stela"])[0] > ends(cells[one, "kgw"])[1]
    ]
    strengths = [row for row in section.tables.get("strength", []) if row["language"] in ahead]
    if not ahead:
        return f"STELA is not found measurably more than KGW at {first} tokens", False
    more = each(strengths, "mean bias of STELA over that of KGW")
    return (
        f"STELA is found more than KGW in {listed(ahead)} at {first} tokens, with a larger mean bias ({more} times KGW's)",
        True,
    )


def found_more(section: Section) -> str:
    """The same as a sentence of the summary."""
    return f"At the paper's delta {over_kgw(section)[0]}."
