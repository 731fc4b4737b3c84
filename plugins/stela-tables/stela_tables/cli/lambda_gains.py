"""``stela lambda gains``: a table of what a mark gains and costs after each class of contexts."""

from __future__ import annotations

from pathlib import Path

import click
from stela_cli.common import force_option, registry_of
from stela_cli.printing import report, say
from stela_cli.progress import progress
from stela_corpora.named import open_corpus

from stela_core import Registry, StelaError, Weighting
from stela_core.api import require_free, write_atomically
from stela_tables.cli.lambda_learn import partial_folder
from stela_tables.file import parse_any_table, read_any_table
from stela_tables.gains.job import GainRecipe
from stela_tables.gains.measure import measure_gains
from stela_tables.gains.sums import remove_gain_sums
from stela_tables.gains.table import gain_table_bytes
from stela_tables.values import ValueTable

DEFAULT = GainRecipe()
CLASSES = "learned-text"
"""The weighting whose table of a language puts texts into classes, where none is named."""


@click.command(
    "gains",
    epilog="\b\nExample:\n  stela lambda gains --model tiny --corpus texts.jsonl --tagger penn -o gains.json",
)
@click.option(
    "--model",
    "models",
    multiple=True,
    required=True,
    metavar="M",
    help="Reference model: alias, folder or Hugging Face name. May be repeated: the table is their mean.",
)
@click.option(
    "--corpus",
    "corpora",
    multiple=True,
    required=True,
    metavar="F.jsonl",
    help="Human text, as for stela lambda build. May be repeated.",
)
@click.option(
    "--classes",
    metavar="TABLE",
    help="Table of values by characters, from stela lambda learn.  [default: learned-text's of --language]",
)
@click.option(
    "--bins",
    type=click.IntRange(1, 256),
    default=DEFAULT.bins,
    show_default=True,
    help="Number of classes of text, of about equally many tokens.",
)
@click.option(
    "--tagger", metavar="NAME[:MODEL]", help="Classes are part-of-speech contexts, with this tagger."
)
@click.option(
    "--k", type=click.IntRange(2, 4), help="Length of the n-grams of tags, with --tagger.  [default: 2]"
)
@click.option(
    "--minimum",
    type=click.IntRange(1),
    default=DEFAULT.minimum,
    show_default=True,
    help="Tokens that a class of tags needs; others join those that end alike.",
)
@click.option(
    "--language", help="Language that the table names, as an ISO 639-1 code.  [default: that of the classes]"
)
@click.option(
    "--max-tokens",
    type=click.IntRange(1),
    default=DEFAULT.max_tokens,
    show_default=True,
    help="Number of tokens to read, from all corpora together.",
)
@click.option(
    "--temperature",
    "temperatures",
    type=click.FloatRange(0.01, 100),
    multiple=True,
    help="Temperature at which texts will be generated. May be repeated.  [default: 0.7 and 1]",
)
@click.option(
    "--documents", type=click.IntRange(1), metavar="N", help="Read a sample of N documents of each corpus."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the samples.")
@click.option("--device", help="torch device of the model.  [default: cuda if there is one]")
@click.option(
    "--workers",
    type=click.IntRange(1, 1024),
    metavar="N",
    help="Number of workers that run the model.  [default: 1]",
)
@click.option(
    "--executor", default="local", show_default=True, metavar="NAME", help="Executor that runs the workers."
)
@click.option(
    "-o", "--output", required=True, type=click.Path(dir_okay=False), metavar="TABLE", help="Table to write."
)
@force_option
@click.pass_context
def lambda_gains(
    context: click.Context,
    models: tuple[str, ...],
    corpora: tuple[str, ...],
    classes: str | None,
    bins: int,
    tagger: str | None,
    k: int | None,
    minimum: int,
    language: str | None,
    max_tokens: int,
    temperatures: tuple[float, ...],
    documents: int | None,
    seed: int,
    device: str | None,
    workers: int | None,
    executor: str,
    output: str,
    force: bool,
) -> None:
    """Measure what a mark of each strength gains and costs after each class of contexts.

    Schemes gain-text and gain-tags read the table. If the command is stopped, give it again to continue:
    intermediate results are in the folder TABLE.partial.
    """
    if tagger is None and k is not None:
        raise click.UsageError("--k goes with --tagger.")
    if tagger is not None and classes is not None:
        raise click.UsageError(
            "--classes is for classes of text, and --tagger for classes of tags; give one."
        )
    require_free(Path(output), force)
    registry = registry_of(context)
    values = None if tagger is not None else values_of(registry, classes, language)
    recipe = GainRecipe(
        temperatures=tuple(sorted({round(1000 * one) for one in temperatures})) or DEFAULT.temperatures,
        longest=(k or 2) - 1,
        bins=bins,
        minimum=minimum,
        max_tokens=max_tokens,
    )
    opened = [open_corpus(spec, False, documents, seed) for spec in corpora]
    for corpus in opened:
        _ = corpus.size  # a missing file is found before the model is loaded
    with partial_folder(Path(output)) as folder:
        with progress(f"measuring {' and '.join(models)}", max_tokens * len(models)) as advance:
            table = measure_gains(
                registry,
                models,
                opened,
                recipe,
                folder,
                values=values,
                tagger=tagger,
                device=device,
                language=language or "",
                workers=workers,
                executor=executor,
                origin={"corpora": corpora, "documents": documents, "seed": seed},
                advance=advance,
                goes_on=lambda count: say(f"note: going on after {count} tokens of {folder}", err=True),
            )
        write_atomically(Path(output), gain_table_bytes(table), replace=force)
        remove_gain_sums(folder)
    report(
        output,
        f"{output}: gains by {table.key}, {len(table.counts)} classes, {len(table.classes)} contexts of up "
        f"to {table.longest}, {table.learned.tokens} tokens in {table.learned.documents} pieces",
    )
    report(output, f"sha256 {table.sha256}")


def values_of(registry: Registry, classes: str | None, language: str | None) -> ValueTable:
    """The table whose values put texts into classes: of a file, or the shipped one of a language.

    Raises:
        StelaError: there is none, or it holds something else.
    """
    if classes is not None:
        table = read_any_table(classes)
    else:
        data = registry.get(Weighting, CLASSES).own_table(language, None, None)
        assert data is not None
        table = parse_any_table(data, f'the table of "{CLASSES}"')
    if not isinstance(table, ValueTable):
        raise StelaError(
            f'table "{classes}" holds no values of texts.',
            "make one with stela lambda learn, without --tagger",
        )
    return table
