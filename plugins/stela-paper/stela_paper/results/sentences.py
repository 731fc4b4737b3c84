"""What each section of a page says: short sentences, a table, and its caption."""

from __future__ import annotations

from stela_paper.results.grids import Row, Rows, by_language, value
from stela_paper.results.intervals import LESS, MORE
from stela_paper.results.kept import Section
from stela_paper.results.markdown import listed, table
from stela_paper.results.simple import FOUND, LEVELS, RATE
from stela_paper.results.words import after, bold, by_tokens, caption, compared, corrected, each, ends, files

MEAN = f"mean {RATE}"


def detection(section: Section) -> str:
    """Which share is found at the paper's strength."""
    lengths = _first_and_telling(section)
    rows = [row for row in section.rows if row["tokens"] in lengths]
    strength = each(section.tables.get("strength", []), "mean bias of STELA over that of KGW")
    return f"""{most_on_average(section)}
Strengths are not equal. STELA's [mean bias](glossary.md#mean-bias) over KGW's: {strength}.
The paper divides [delta](glossary.md#delta) by the mean of lambda over context types; real text then gets more than delta.
Near 1.00 a ceiling hides differences.
p-values of few tokens move in steps, so schemes differ in size, the share of unmarked texts with p ≤ 0.01.
TPR at a measured rate compares them fairly.

![found by length](results/detection.svg)

{by_language(rows, ("tokens", "scheme"), lambda row: row["TPR at 1 % FPR"])}
{caption(section, "Share found at the threshold that 1 % of unmarked texts pass; delta 2")}"""


def _first_and_telling(section: Section) -> list[str]:
    telling = section.tables["rates"][0]["tokens"]
    return list(dict.fromkeys((section.rows[0]["tokens"], telling)))


def most_on_average(section: Section) -> str:
    """Which scheme finds most, and what STELA finds, at the first length."""
    rows = section.tables["mean"]
    length = rows[0]["tokens"]
    rates = {row["scheme"]: row[MEAN] for row in rows if row["tokens"] == length}
    top = [name for name, rate in rates.items() if rate == max(rates.values())]
    stela = "" if "stela" in top else f", `stela` {rates.get('stela', '–')}"
    finds = "finds" if len(top) == 1 else "find"
    return (
        f"At {length} tokens {listed([f'`{name}`' for name in top])} {finds} most on average: "
        f"{RATE} is {rates[top[0]]}{stela}."
    )


def equal_bias(section: Section) -> str:
    """KGW and STELA at one mean bias."""
    off = sum(row["unmarked z differs from 0"] == "yes" for row in section.rows)
    unmarked = f"{off} of {len(section.rows)} rows have" if off else "No row has"
    return f"""{compared("STELA", "KGW", section.rows)}
{unmarked} unmarked text whose mean [z](glossary.md#z) differs measurably from 0.

{by_tokens(section.rows, "difference")}
{caption(section, f"z of STELA less that of KGW, mean bias 1 nat, a key for each text. Bold: measurable, [Holm](glossary.md#holm) over {len(section.rows)} comparisons")}"""


def strength(section: Section) -> str:
    """At one mean bias, and at one cost in perplexity."""
    parts = [equal_bias(section)]
    rows = section.tables.get("perplexity", [])
    if rows:
        parts.append(
            f"""**At equal perplexity.** {at_equal_perplexity(rows)}
MorphMark removes red tokens where green ones have a probability of 0.53 or more, so its mean bias does not compare with theirs.
KGW and STELA are taken at the rise of log-perplexity that MorphMark's default has.

![z against perplexity](results/strength.svg)

{_at_cost(rows)}
*z at {rows[0]["tokens"]} tokens, read off the grid of strengths{corrected(rows)}; [perplexity](glossary.md#perplexity) under `{section.about.reader}`, nats a token.
Intervals of z take costs as measured; the costs' own are wide. "Beyond the grid": MorphMark costs more than the strongest setting.
"No rise": its cost is not above 0. All figures: {files(section, "perplexity", "costs")}.*
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


def _at_cost(rows: Rows) -> str:
    body: dict[str, list[str]] = {}
    for row in rows:
        line = body.setdefault(row["language"], [row["language"], row["cost"], row["MorphMark: z"]])
        line += [row["z"], bold(row["less MorphMark"], row)]
    header = ("", "cost", "MorphMark z", "KGW z", "less MorphMark", "STELA z", "less MorphMark")
    return table(header, body.values())


def perplexity(section: Section) -> str:
    """What each mark costs."""
    rise = "rise of log-perplexity"

    def shown(row: Row) -> str:
        seen = "[" in row[rise] and ends(row[rise])[0] > 0
        return f"{f'**{row[rise]}**' if seen else row[rise]} ({value(row['mean bias'])})"

    count = len(section.rows)
    return f"""Bold: the rise is above 0. Each interval is for one cell: of {count}, {0.05 * count:.1f} leave out 0 by chance.
Strengths differ, so this does not rank schemes at equal strength.

![distributions of perplexity](results/perplexity.svg)

{by_language(section.rows, ("scheme",), shown)}
{caption(section, f"Rise of log-perplexity under `{section.about.reader}`, nats a token (mean bias); {section.rows[0]['tokens']} tokens, delta 2")}"""


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
    return f"""{" ".join(told)}

{by_language(rows, ("scheme", "against"), lambda row: bold(row["difference"], row))}
{caption(section, f"Difference of z at {rows[0]['tokens']} tokens, mean bias 1; Holm over {len(rows)} comparisons", "", "found")}"""


def classes(section: Section) -> str:
    """Tokens and z by word class."""
    names = ("content", "function", "other")
    rows = [
        (
            row["language"],
            row["scheme"],
            *(f"{value(row[f'{name}: tokens'])}; {row[f'{name}: adds to z']}" for name in names),
        )
        for row in section.rows
    ]
    stela = [row for row in section.rows if row["scheme"] == "stela"]
    shares = listed(
        [f"{row['content: share of z'].replace('%', ' %')} in {row['language']}" for row in stela]
    )
    return f"""Content words' share of STELA's z: {shares}.

{table(("language", "scheme", *names), rows)}
{caption(section, f"Share of the tokens; what they add to z at {section.rows[0]['tokens']} tokens. Mean bias 1")}"""


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
WordNet reaches about 36 % of the words of human text: function words and names have no synonym.

![synonyms](results/attacks.svg)

{by_language(rows, ("attack",), lambda row: f"{value(row[f'kgw: {FOUND}'])} / {value(row[f'stela: {FOUND}'])}")}
{caption(section, f"Share {FOUND}, KGW / STELA; {rows[0]['tokens']} tokens before the attack; mean bias {value(measured[0]['kgw: mean bias'])}; Holm over {len(rows)} comparisons", brackets="intervals in the file")}"""


def _named(rows: Rows) -> Rows:
    return [{**row, "attack": row["attack"].replace("none", "no attack")} for row in rows]


def scaling(section: Section) -> str:
    """What the models find, small to large."""
    return f"""Two models of 1.3 and 6.1 M parameters, each with its own tokenizer, are no law of scaling.

{by_language(section.rows, ("model", "scheme"), lambda row: row[FOUND])}
{caption(section, f"Share {FOUND}, {section.rows[0]['tokens']} tokens, mean bias 1")}"""


TOKENS, SENTENCES = "tokens, spike entropy: Pearson", "sentences, shannon entropy: Pearson"


def freedom(section: Section) -> str:
    """Correlations with the model's entropy: of tokens, and of sentences as the paper has it."""
    rows = [
        {**row, "unit": unit, "r": row[column]}
        for unit, text, column in (("tokens", "human text", TOKENS), ("sentences", "marked text", SENTENCES))
        for row in section.rows
        if row["text"] == text
    ]
    return f"""{follows(section)}
Where lambda's r is below 0, grammar's freedom is not the model's. After a tag that many tags can follow, the next word is often certain.

{by_language(rows, ("unit", "scheme"), lambda row: row["r"])}
{caption(section, "Pearson's r of the weight with the model's [entropy](glossary.md#entropy): tokens of human text with spike entropy, sentences of marked text with Shannon's")}"""


def follows(section: Section) -> str:
    """Lambda's correlation, and the learned weight's."""
    of = {
        scheme: [row for row in section.rows if row["scheme"] == scheme and row["text"] == "human text"]
        for scheme in ("stela", "learned-text")
    }
    parts = [f"{name} {each(of[scheme], TOKENS)}" for name, scheme in _WEIGHTS if of[scheme]]
    return f"Correlation with the model's entropy, by token: {'; '.join(parts)}."


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
    rows = [row for row in section.rows if row["tokens"] == last]
    return f"""{f"{len(above)} of {count} rates lie above their nominal level: {listed(above)}" if above else f"None of {count} rates lies above its nominal level"}. By chance {0.025 * count:.0f} would.
The test counts a repeated pair of tokens once, plain z each time. One fixed key has its own rate ([statistics](statistics.md)).

{by_language(rows, ("text", "scheme"), lambda row: f"{row['p ≤ 0.01']}; {row['plain z at 1 %']}")}
{caption(section, f"Share of tests with p ≤ 0.01; the same by plain z. {last} tokens, {section.about.keys} keys a text")}"""
