"""``stela detect``: test texts against a profile."""

from __future__ import annotations

from statistics import median

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text as RichText

from stela_core.cli.common import console, key_from, print_json, registry_of
from stela_core.cli.detection_model import detection_model, prompts_of
from stela_core.cli.inputs import read_texts
from stela_core.cli.progress import progress
from stela_core.detection.result import Detection
from stela_core.detection.scan import Passage
from stela_core.errors import StelaError
from stela_core.watermark import load

BATCH = 256
"""Texts handed to the detector at once: enough for a fast batch, few enough to show progress."""

SHOWN = 160
"""Characters of a passage that are shown."""

COLOURS = {"watermarked": "green", "no watermark found": "default", "insufficient text": "yellow"}


@click.command("detect")
@click.argument("files", nargs=-1, metavar="[FILE ... | -]")
@click.option("--profile", required=True, type=click.Path(), metavar="P.stela")
@click.option("--key-file", metavar="FILE", help="Key of a secret-key profile (or set STELA_KEY).")
@click.option("--model", metavar="M", help="Alias, folder or name, for schemes that weigh by its logits.")
@click.option("--prompts", "prompts_file", metavar="F.jsonl", help="The text's prompts, for that model.")
@click.option("--device", help="torch device of that model. [cuda where there is one]")
@click.option("--tokens", is_flag=True, help="Show every token: colour, weight and context.")
@click.option("--windows", is_flag=True, help="Find the passage that looks marked most, in a long text.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per text, one per line.")
@click.pass_context
def detect(
    context: click.Context,
    files: tuple[str, ...],
    profile: str,
    key_file: str | None,
    model: str | None,
    prompts_file: str | None,
    device: str | None,
    tokens: bool,
    windows: bool,
    as_json: bool,
) -> None:
    """Test each FILE (one text per file; a .jsonl holds one per line) for the profile's watermark."""
    if not files:
        raise StelaError("no text to test.", "name files, or - for standard input")
    texts = read_texts(files)
    prompts = prompts_of(prompts_file, len(texts))
    registry = registry_of(context)
    watermark = load(profile, key_from(key_file), registry)
    language_model = detection_model(watermark, registry, model, device)
    detections: list[Detection] = []
    with progress("detecting", len(texts)) as advance:
        for start in range(0, len(texts), BATCH):
            batch = texts[start : start + BATCH]
            before = prompts and prompts[start : start + BATCH]
            found = watermark.detect_many([text.text for text in batch], language_model, before)
            if windows:
                found = [watermark.with_passage(detection) for detection in found]
            if as_json:
                for detection in found:
                    print_json(detection.to_dict(tokens))
            else:
                detections += found
            advance(len(batch))
    if not as_json:
        show([text.source for text in texts], detections, tokens)


def show(sources: list[str], detections: list[Detection], tokens: bool) -> None:
    """Print a table of detections, and below it the tokens of each where asked."""
    table = Table("text", "verdict", "p-value", "z", "scored", "pairs", "green", box=None)
    for source, found in zip(sources, detections, strict=True):
        table.add_row(
            escape(source),
            f"[{COLOURS[found.verdict]}]{found.verdict}[/]",
            f"{found.p_value:.2g}",
            f"{found.z:.2f}",
            str(found.scored_tokens),
            str(found.unique_pairs),
            f"{found.green_fraction:.0%}",
        )
    out = console()
    out.print(table)
    if detections:
        out.print(
            f"watermarked means p-value <= {detections[0].threshold:g}; no verdict says who wrote a text"
        )
    if len(detections) > 1:
        marked = sum(found.verdict == "watermarked" for found in detections)
        z, p = (median(getattr(found, name) for found in detections) for name in ("z", "p_value"))
        out.print(f"{len(detections)} texts: {marked} watermarked; median z {z:.2f}, median p-value {p:.2g}")
    for source, found in zip(sources, detections, strict=True):
        if found.window is not None:
            show_passage(out, source, found.window)
    if tokens:
        for source, found in zip(sources, detections, strict=True):
            out.rule(escape(source))
            out.print(coloured(found))
            show_tokens(out, found)


def show_passage(out: Console, source: str, passage: Passage) -> None:
    """Where the passage is, its corrected p-value, and how it begins and ends."""
    text = " ".join(passage.text.split())
    if len(text) > SHOWN:
        text = f"{text[: SHOWN // 2]} [...] {text[-SHOWN // 2 :]}"
    out.print(
        f"{escape(source)}: characters {passage.start}-{passage.end} look marked most, "
        f"p-value {passage.p_value:.2g} after correction for {passage.windows} windows:"
    )
    out.print(RichText(text, "dim"))


def coloured(detection: Detection) -> RichText:
    """The text with green tokens on green, brighter with more weight; red ones underlined."""
    top = max((token.weight or 0.0 for token in detection.tokens), default=0.0) or 1.0
    line = RichText()
    for token in detection.tokens:
        if token.weight is None:
            line.append(token.text, "dim")
        elif token.green:
            shade = int(70 + 110 * token.weight / top)
            line.append(token.text, f"black on rgb({shade // 3},{shade + 40},{shade // 3})")
        else:
            line.append(token.text, "red")
    return line


def show_tokens(out: Console, detection: Detection) -> None:
    """One row per token."""
    table = Table("token", "green", "weight", "context", box=None)
    for token in detection.tokens:
        scored = token.weight is not None
        table.add_row(
            escape(repr(token.text)),
            {True: "[green]green[/]", False: "[red]red[/]", None: "-"}[token.green],
            f"{token.weight:.3f}" if scored else "-",
            escape(" ".join(token.context or ()) or "-"),
        )
    out.print(table)
