"""``stela lambda learn``: a table of what reference models, or only the text, expect."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import get_args

import click
from stela_cli.common import force_option, registry_of
from stela_cli.group import sectioned
from stela_cli.printing import report, say
from stela_cli.progress import progress
from stela_corpora.named import open_corpus

from stela_core.api import descriptor, require_free, write_atomically
from stela_tables.learning.learn import forget, learn_table
from stela_tables.learning.recipe import Quantity, Recipe
from stela_tables.values import value_table_bytes

BY_CHARACTERS, BY_TAGS = Recipe(), Recipe(longest=3, minimum=5)


SECTIONS = {
    "Text": "--corpus --documents --seed --max-tokens --language",
    "Model": "--model --temperature --device --quantity",
    "Table": "--tagger --k --longest --smoothing --minimum --least",
    "Results": "--output --force --workers --executor",
}


@click.command(
    "learn",
    cls=sectioned(SECTIONS),
    epilog="\b\nExample:\n  stela lambda learn --model tiny --corpus texts.jsonl --language en -o table.json",
)
@click.option(
    "--model",
    "models",
    multiple=True,
    required=True,
    metavar="M",
    help="Reference model: alias, folder or Hugging Face name. May be repeated: all go into one table.",
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
    "--quantity",
    type=click.Choice(get_args(Quantity)),
    default=BY_CHARACTERS.quantity,
    show_default=True,
    help="What the table holds; the first two are for green lists, and token-gini runs no model.",
)
@click.option(
    "--tagger",
    metavar="NAME[:MODEL]",
    help="Learn by part-of-speech context, with this tagger.  [default: by characters]",
)
@click.option(
    "--k", type=click.IntRange(2, 8), help="Length of the n-grams of tags, with --tagger.  [default: 4]"
)
@click.option(
    "--longest",
    type=click.IntRange(1, 64),
    help="Length of the longest context, in characters.  [default: 10]",
)
@click.option(
    "--language", help="Language that the table names, as an ISO 639-1 code.  [default: the tagger's]"
)
@click.option(
    "--max-tokens",
    type=click.IntRange(1),
    default=BY_CHARACTERS.max_tokens,
    show_default=True,
    help="Number of tokens to read, from all corpora together.",
)
@click.option(
    "--temperature",
    type=click.FloatRange(0, min_open=True),
    default=0.7,
    show_default=True,
    help="Temperature at which texts will be generated.",
)
@click.option(
    "--documents", type=click.IntRange(1), metavar="N", help="Read a sample of N documents of each corpus."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the samples.")
@click.option(
    "--smoothing",
    type=click.FloatRange(0),
    default=BY_CHARACTERS.smoothing,
    show_default=True,
    help="Weight of the next shorter context, in observations.",
)
@click.option(
    "--minimum",
    type=click.IntRange(1),
    help="Leave out contexts seen less often.  [default: 3; with --tagger 5]",
)
@click.option(
    "--least",
    type=click.FloatRange(0),
    default=BY_CHARACTERS.least,
    show_default=True,
    help="Leave out contexts whose value differs less from the next shorter context's, relative to the mean.",
)
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
def lambda_learn(
    context: click.Context,
    models: tuple[str, ...],
    corpora: tuple[str, ...],
    quantity: Quantity,
    tagger: str | None,
    k: int | None,
    longest: int | None,
    language: str | None,
    max_tokens: int,
    temperature: float,
    documents: int | None,
    seed: int,
    smoothing: float,
    minimum: int | None,
    least: float,
    device: str | None,
    workers: int | None,
    executor: str,
    output: str,
    force: bool,
) -> None:
    """Learn from a model how much a mark can change after each context.

    A context is the last characters or the last part-of-speech tags of a text. If the command is stopped,
    give it again to continue: intermediate results are in the folder TABLE.partial.
    """
    if tagger is None and k is not None:
        raise click.UsageError("--k goes with --tagger; contexts of characters have --longest.")
    if tagger is not None and longest is not None:
        raise click.UsageError("--longest is for contexts of characters; with --tagger give --k.")
    require_free(Path(output), force)
    registry = registry_of(context)
    base = BY_CHARACTERS if tagger is None else BY_TAGS
    recipe = Recipe(
        quantity=quantity,
        longest=(longest or base.longest) if k is None else k - 1,
        smoothing=smoothing,
        minimum=minimum or base.minimum,
        least=least,
        temperature=temperature,
        max_tokens=max_tokens,
    )
    opened = [open_corpus(spec, False, documents, seed) for spec in corpora]
    for corpus in opened:
        _ = corpus.size  # a missing file is found before the model is loaded
    names = " and ".join(models)
    with partial_folder(Path(output)) as folder:
        with progress(f"learning from {names}", max_tokens * len(models)) as advance:
            table = learn_table(
                registry,
                models,
                opened,
                recipe,
                folder,
                tagger=tagger,
                device=device,
                language=language or "",
                workers=workers,
                executor=executor,
                origin={"corpora": corpora, "documents": documents, "seed": seed},
                advance=advance,
                goes_on=lambda count: say(f"note: continuing after {count} tokens of {folder}", err=True),
            )
        write_atomically(Path(output), value_table_bytes(table), replace=force)
        forget(folder)
    report(
        output,
        f"{output}: {quantity} by {table.key}, {len(table.values)} contexts of up to {table.longest}, "
        f"{table.learned.tokens} tokens in {table.learned.documents} pieces",
    )
    report(output, f"mean over tokens {table.mean('tokens'):.4f}")
    report(output, f"sha256 {table.sha256}")


@contextmanager
def partial_folder(output: Path) -> Iterator[Path]:
    """Folder of sums until the table is written: next to it, or for a stream a temporary folder."""
    if descriptor(output) is None and (output.is_file() or not output.exists()):
        target = Path(os.path.realpath(output))
        yield target.with_name(f"{target.name}.partial")
        return
    with tempfile.TemporaryDirectory(prefix="stela-learn-") as folder:
        yield Path(folder)
