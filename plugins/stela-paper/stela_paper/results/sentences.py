"""What each section of a page says: short sentences, a table, and its caption."""

from __future__ import annotations

from stela_paper.results.grids import Row, Rows, by_language, languages, value
from stela_paper.results.intervals import LESS, MORE
from stela_paper.results.kept import Section
from stela_paper.results.markdown import listed, table
from stela_paper.results.simple import FOUND, LEVELS, RATE
from stela_paper.results.words import (
    after,
    bold,
    by_tokens,
    caption,
    compared,
    corrected,
    each,
    ends,
    files,
)

MEAN = f"mean {RATE}"


def detection(section: Section) -> str:
    """Which share is found at the paper's strength; the summary says which scheme finds most."""
    first, *others = _first_and_telling(section)
    at = {(row["tokens"], row["language"], row["scheme"]): row["TPR at 1 % FPR"] for row in section.rows}

    def shown(row: Row) -> str:
        later = [value(at.get((length, row["language"], row["scheme"]), "–")) for length in others]
        return "; ".join((row["TPR at 1 % FPR"], *later))

    rows = [row for row in section.rows if row["tokens"] == first]
    strength = each(section.tables.get("strength", []), "mean bias of STELA over that of KGW")
    return f"""Strengths are not equal. STELA's [mean bias](glossary.md#mean-bias) over KGW's: {strength}.

{by_language(rows, ("scheme",), shown)}
{caption(section, f"Share found at the threshold that 1 % of unmarked texts pass, at {', then at '.join((first, *others))} tokens; delta 2")}"""


def _first_and_telling(section: Section) -> list[str]:
    telling = section.tables["rates"][0]["tokens"]
    return list(dict.fromkeys((section.rows[0]["tokens"], telling)))


def equal_bias(section: Section) -> str:
    """KGW and STELA at one mean bias."""
    off = sum(row["unmarked z differs from 0"] == "yes" for row in section.rows)
    unmarked = (
        f"\nIn {off} of {len(section.rows)} rows the mean z of unmarked text differs measurably from 0."
        if off
        else ""
    )
    return f"""{compared("STELA", "KGW", section.rows)}{unmarked}

{by_tokens(section.rows, "difference")}
{caption(section, f"z of STELA minus that of KGW, mean bias 1 nat; Holm over {len(section.rows)}")}"""


def strength(section: Section) -> str:
    """Text on KGW and STELA at one mean bias, and at one cost in perplexity."""
    parts = [equal_bias(section)]
    rows = section.tables.get("perplexity", [])
    if rows and all(row["verdict"] == "–" for row in rows):
        costs = "; ".join(dict.fromkeys(f"{row['cost']} in {row['language']} ({row['z']})" for row in rows))
        parts.append(
            f"""**At equal perplexity.** {at_equal_perplexity(rows)}
MorphMark's rise of log-[perplexity](glossary.md#perplexity), in nats a token under `{section.about.reader}`: {costs}. {files(section, "perplexity", "costs")}.

![z against perplexity](results/strength.svg)
"""
        )
    elif rows:
        parts.append(
            f"""**At equal perplexity.** {at_equal_perplexity(rows)}

![z against perplexity](results/strength.svg)

{_at_cost(rows)}
*z at {rows[0]["tokens"]} tokens, read off the grid of strengths, then the difference to MorphMark's{corrected(rows)}; cost: rise of log-[perplexity](glossary.md#perplexity) under `{section.about.reader}`, nats a token.{_outside(rows)} {files(section, "perplexity", "costs")}.*
"""
        )
    return "\n".join(parts)


def at_equal_perplexity(rows: Rows) -> str:
    """What STELA and KGW have at MorphMark's cost."""
    parts = []
    for verdict, finds in ((MORE, "finds more than"), (LESS, "finds less than")):
        of: dict[str, list[str]] = {}
        for row in rows:
            if row["verdict"] == verdict:
                of.setdefault(row["scheme"], []).append(row["language"])
        parts += [f"{scheme} {finds} MorphMark in {listed(where)}" for scheme, where in of.items()]
    if all(row["verdict"] == "–" for row in rows):
        parts.append("No comparison could be made")
    return f"{'; '.join(parts) or 'There is no measurable difference'}."


def _outside(rows: Rows) -> str:
    """What a caption says of costs at which nothing was compared."""
    told = {
        "beyond the grid": "MorphMark costs more than the strongest setting",
        "no rise": "MorphMark's cost is not above 0",
    }
    return "".join(
        f' "{outside.capitalize()}": {meaning}.'
        for outside, meaning in told.items()
        if any(row["z"] == outside for row in rows)
    )


def _at_cost(rows: Rows) -> str:
    body: dict[str, list[str]] = {}
    for row in rows:
        line = body.setdefault(row["language"], [row["language"], row["cost"], row["MorphMark: z"]])
        line.append(
            row["z"] if row["verdict"] == "–" else f"{value(row['z'])}: {bold(row['less MorphMark'], row)}"
        )
    header = ("", "cost", "MorphMark", "KGW", "STELA")
    return table(header, body.values())


def perplexity(section: Section) -> str:
    """What each mark costs."""
    rise = "rise of log-perplexity"

    def shown(row: Row) -> str:
        seen = "[" in row[rise] and ends(row[rise])[0] > 0
        return f"**{row[rise]}**" if seen else row[rise]

    count = len(section.rows)
    return f"""Bold: the interval is above 0. Of {count} intervals, {0.05 * count:.1f} leave out 0 by chance.
Mean biases differ ({_range(section.rows)} nats), so this does not rank schemes.

![distributions of perplexity](results/perplexity.svg)

{by_language(section.rows, ("scheme",), shown)}
{caption(section, f"Rise of log-perplexity under `{section.about.reader}`, nats a token; {section.rows[0]['tokens']} tokens, delta 2")}"""


def _range(rows: Rows) -> str:
    """The smallest and the largest mean bias."""
    known = sorted((value(row["mean bias"]) for row in rows if row["mean bias"] != "–"), key=float)
    return f"{known[0]} to {known[-1]}" if known else "–"


def contexts(section: Section) -> str:
    """Each variant against the first."""
    rows = section.rows
    apart = [row for row in rows if row["verdict"] in (MORE, LESS)]
    told = [
        f"{row['scheme']} is {'better' if row['verdict'] == MORE else 'worse'} than {row['against']} in {row['language']}."
        for row in apart
    ]
    others = "Elsewhere there" if told else "There"
    told += [f"{others} is no measurable difference."] if len(apart) < len(rows) else []
    settings = f"{rows[0]['tokens']} tokens, mean bias 1; Holm over {len(rows)}"
    less = f"z minus that of {rows[0]['against']}"
    if len({row["scheme"] for row in rows}) == 1:
        gaps = listed([f"{bold(row['difference'], row)} in {row['language']}" for row in rows])
        return f"""{" ".join(told)} With {rows[0]["scheme"]} tags, {less} is {gaps}.

{caption(section, settings[0].upper() + settings[1:], "", "found")}"""
    return f"""{" ".join(told)}

{by_language(rows, ("scheme",), lambda row: bold(row["difference"], row))}
{caption(section, f"{less}, {settings}", "", "found")}"""


def classes(section: Section) -> str:
    """Tokens and z of STELA by word class."""
    stela = [row for row in section.rows if row["scheme"] == "stela"]
    rows = [
        {**row, "words": name, "told": f"{value(row[f'{name}: tokens'])}; {value(row[f'{name}: adds to z'])}"}
        for name in ("content", "function", "other")
        for row in stela
    ]
    shares = listed(
        [f"{row['content: share of z'].replace('%', ' %')} in {row['language']}" for row in stela]
    )
    return f"""Content words' share of STELA's z: {shares}.

{by_language(rows, ("words",), lambda row: row["told"])}
{caption(section, f"Share of the tokens; what they add to STELA's z at {section.rows[0]['tokens']} tokens; mean bias 1")}"""


def attacks(section: Section) -> str:
    """What is found after each attack."""
    rows = section.rows
    ahead, behind = ([row for row in rows if row["verdict"] == wanted] for wanted in (MORE, LESS))
    told = f"STELA's mean z beats KGW's in {after(_named(ahead))}. " if ahead else ""
    told += f"KGW's beats STELA's in {after(_named(behind))}. " if behind else ""
    told += (
        "Elsewhere there is no measurable difference."
        if told
        else "STELA's and KGW's z do not differ measurably."
    )
    measured = [one for one in section.rows if one["kgw: mean bias"] != "–"]
    return f"""{told}

![synonyms](results/attacks.svg)

{by_language(_strongest(rows), ("attack",), lambda row: f"{value(row[f'kgw: {FOUND}'])} / {value(row[f'stela: {FOUND}'])}")}
{caption(section, f"Share {FOUND}, KGW / STELA; {rows[0]['tokens']} tokens before the attack; mean bias {value(measured[0]['kgw: mean bias'])}; Holm over {len(rows)}")}"""


def _strongest(rows: Rows) -> Rows:
    """The rows of each attack's last setting; experiment files go from weak to strong."""
    last = {row["attack"].partition("(")[0]: row["attack"] for row in rows}
    return [row for row in rows if row["attack"] in last.values()]


def _named(rows: Rows) -> Rows:
    return [{**row, "attack": row["attack"].replace("none", "no attack")} for row in rows]


def scaling(section: Section) -> str:
    """What is found of STELA in models from small to large."""
    stela = [row for row in section.rows if row["scheme"] == "stela"]
    return f"""Two models of 1.3 and 6.1 M parameters, each with its own tokenizer, are not a law of scaling.

{by_language(stela, ("model",), lambda row: row[FOUND])}
{caption(section, f"Share of STELA's texts {FOUND}, {section.rows[0]['tokens']} tokens, mean bias 1")}"""


TOKENS, SENTENCES = "tokens, spike entropy: Pearson", "sentences, shannon entropy: Pearson"


def freedom(section: Section) -> str:
    """Correlations with the model's entropy, by token, and by sentence as the paper has it."""
    names = {scheme: name for name, scheme in _WEIGHTS}
    rows = [
        {**row, "weight": names[row["scheme"]]}
        for row in section.rows
        if row["text"] == "marked text" and row["scheme"] in names
    ]
    return f"""{_follows(section)}

{by_language(rows, ("weight",), lambda row: row[SENTENCES])}
{caption(section, "Pearson's r with the model's [entropy](glossary.md#entropy): above by token of human text (spike entropy), in the table by sentence of marked text (Shannon's)")}"""


def _follows(section: Section) -> str:
    """Lambda's correlation by token, and the learned weight's."""
    of = {
        scheme: [row for row in section.rows if row["scheme"] == scheme and row["text"] == "human text"]
        for scheme in ("stela", "learned-text")
    }
    parts = [
        f"{name} {', '.join(value(row[TOKENS]) for row in of[scheme])}"
        for name, scheme in _WEIGHTS
        if of[scheme]
    ]
    where = ", ".join(languages(next((rows for rows in of.values() if rows), [])))
    return f"By token ({where}): {'; '.join(parts)}."


_WEIGHTS = (("lambda", "stela"), ("`learned-text`", "learned-text"))


def above_nominal(section: Section) -> tuple[int, list[str]]:
    """How many rates there are, and those that lie above their level."""
    above, count = [], 0
    for row in section.rows:
        for level in LEVELS:
            rate = row[f"p ≤ {level:g}"]
            if rate == "–":
                continue
            count += 1
            if ends(rate)[0] > level:
                above.append(
                    f"{row['scheme']} ({row['language']}, {row['text']}, {row['tokens']} tokens, {level:g})"
                )
    return count, above


def null(section: Section) -> str:
    """Whether any observed rate lies above the nominal one."""
    count, above = above_nominal(section)
    last = section.rows[-1]["tokens"]
    short = {"unmarked text of the model": "the model's"}
    rows = [
        {**row, "text": short.get(row["text"], row["text"])} for row in section.rows if row["tokens"] == last
    ]
    return f"""{f"{len(above)} of {count} rates lie above their nominal level: {listed(above)}" if above else f"None of {count} rates lies above its nominal level"}. By chance {0.025 * count:.0f} would.

{by_language(rows, ("text", "scheme"), lambda row: f"{value(row['p ≤ 0.01'])}; {value(row['plain z at 1 %'])}")}
{caption(section, f"Share of tests of unmarked text with p ≤ 0.01; the same by plain z; {last} tokens, {section.about.keys} keys a text")}"""
