"""What the section on weights says."""

from __future__ import annotations

from stela_paper.results.grids import Rows, by_language, number
from stela_paper.results.intervals import LESS, MORE
from stela_paper.results.kept import Section
from stela_paper.results.markdown import listed
from stela_paper.results.words import bold, caption, corrected, each, ends, files, leading

WAY = "share of the way to EWD"


def weights(section: Section) -> str:
    """How much of the way each public weight closes, and what each scheme's strength is worth."""
    rows = section.rows
    below = [weight for weight, of in _by_weight(rows).items() if all(ends(r[WAY])[1] < 0 for r in of)]
    parts = [
        f"""{f"Worse than equal weights are {listed(below)}. " if below else ""}EWD is not a bound: weights by the expected gain, from the same logits, change z by {_beyond(rows)}.
{_picture(section)}
{by_language(_shown(rows), ("weight",), lambda row: f"{row['z']}: {row[WAY]}")}
{caption(section, f"z at {rows[0]['tokens']} tokens, then the share of the way from equal weights to EWD's; texts marked by KGW, mean bias 1.25")}"""
    ]
    own = section.tables.get("own")
    if own:
        parts.append(
            f"""**Each scheme's own strength and weights**, at the same mean bias:

{by_language([row for row in own if row["less KGW"] != "–"], ("scheme",), lambda row: f"{row['z']}: {bold(row['less KGW'], row)}")}
*z at {own[0]["tokens"]} tokens, then the difference to KGW; mean bias 1.25{corrected(own)}. {files(section, "own")}.*
"""
        )
    transfer = section.tables.get("transfer")
    if transfer:
        parts.append(
            f"""**Another model's text**, weighed by `learned-text` with tables learned from `tiny`:

{by_language([row for row in transfer if row["weight"] == "`learned-text`"], ("model",), lambda row: row[WAY])}
*S{WAY[1:]}. {files(section, "transfer")}; `stela run docs/experiments/transfer.toml`.*
"""
        )
    return "\n".join(parts)


def _shown(rows: Rows) -> Rows:
    """STELA's weights and the best public ones, between equal weights and EWD's."""
    best = max(_by_weight(rows).values(), key=lambda of: sum(number(row[WAY]) for row in of))[0]["weight"]
    wanted = ("uniform", "lambda (STELA)", best, "EWD, with logits")
    return [row for row in rows if row["weight"] in wanted]


def _beyond(rows: Rows) -> str:
    """What the expected gain has beyond EWD."""
    gain = [row for row in rows if row["z less EWD's"] != "–"]
    apart = "" if any(row["verdict"] in (MORE, LESS) for row in gain) else ", no measurable difference"
    return each(gain, "z less EWD's") + apart


def _picture(section: Section) -> str:
    return "\n![share of the way](results/weights.svg)\n" if len(section.about.lengths) > 1 else ""


def _by_weight(rows: Rows) -> dict[str, Rows]:
    """The public weights' rows."""
    public: dict[str, Rows] = {}
    for row in rows:
        if row["weight"] != "uniform" and not row["weight"].endswith("with logits"):
            public.setdefault(row["weight"].partition(":")[0], []).append(row)
    return public


def best_weight(rows: Rows) -> str:
    """How far the best public weight goes."""
    public = _by_weight(rows)
    best, *near = leading({weight: [row[WAY] for row in of] for weight, of in public.items()})
    ways = f"Share of the way: {each(public[best], WAY)}."
    if near:
        others = listed([best, *near])
        return (
            f"Of weights that need no model, none is known to come closest to [EWD](glossary.md#ewd)'s: the "
            f"intervals of {others} overlap. {best}: {ways[0].lower()}{ways[1:]}"
        )
    return f"Of weights that need no model, {best} comes closest to [EWD](glossary.md#ewd)'s. {ways}"


def own_weights(rows: Rows) -> str:
    """Which schemes beat KGW at the same mean bias, weighed by their own weights."""
    of: dict[str, Rows] = {}
    for row in rows:
        if row["verdict"] != "–":
            of.setdefault(row["scheme"], []).append(row)
    parts = []
    for scheme, of_scheme in of.items():
        ahead = [row for row in of_scheme if row["verdict"] == MORE]
        behind = [row["language"] for row in of_scheme if row["verdict"] == LESS]
        parts += [f"`{scheme}` beats KGW by z {each(ahead, 'less KGW')}."] if ahead else []
        parts += [f"KGW beats `{scheme}` in {listed(behind)}."] if behind else []
    return " ".join(parts) or "There is no measurable difference."
