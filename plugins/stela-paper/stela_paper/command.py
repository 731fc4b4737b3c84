"""``stela paper``: the paper's experiments, and the pages that are written of runs."""

from __future__ import annotations

from pathlib import Path

import click
from stela_cli.common import console
from stela_cli.group import Group

FOLDER = click.Path(file_okay=False, path_type=Path)
docs_option = click.option(
    "--docs", type=FOLDER, default="docs", show_default=True, metavar="DIR", help="Folder of the page."
)


@click.group(
    "paper",
    cls=Group,
    invoke_without_command=True,
    epilog="\b\nExample:\n  stela paper --list\n  stela paper --table 1",
)
@click.option("--list", "listed", is_flag=True, help="List what the paper reports, and run nothing.")
@click.option(
    "--table",
    "reported",
    multiple=True,
    metavar="NAME",
    help="Run what measures this table or figure. May be repeated.",
)
@click.option("--model", metavar="M", help="Model in place of the embedded one: folder or name.")
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder with prompts/CODE.jsonl.gz, corpora/CODE/, wordnet/wordnet.zip.  [default: shipped samples]",
)
@click.option("--only", multiple=True, metavar="NAME", help="Run only this experiment. May be repeated.")
@click.option(
    "--language", "languages", multiple=True, metavar="CODE", help="Run only this language. May be repeated."
)
@click.option(
    "--texts",
    type=click.IntRange(1),
    metavar="N",
    help="Number of prompts of each experiment.  [default: its own]",
)
@click.option("--reader", metavar="M", help="Model that measures perplexity.  [default: tiny-small]")
@click.option(
    "--other",
    "others",
    multiple=True,
    default=("tiny-small",),
    show_default=True,
    metavar="M",
    help="Model on which the learned tables are tried, too, with the embedded model. May be repeated.",
)
@click.option(
    "--runs", type=FOLDER, metavar="DIR", help="Folder of the runs.  [default: runs/paper, runs/paper-MODEL]"
)
@click.option(
    "--docs",
    type=FOLDER,
    metavar="DIR",
    help="Folder of the page.  [default: docs in the folder of the runs]",
)
@click.option(
    "--force", is_flag=True, help="Replace the pages that DIR holds. Needs all experiments, and --data."
)
@click.option(
    "--workers",
    type=click.IntRange(1, 1024),
    default=2,
    show_default=True,
    metavar="N",
    help="Number of workers.",
)
@click.pass_context
def paper(
    context: click.Context,
    listed: bool,
    reported: tuple[str, ...],
    model: str | None,
    data: Path | None,
    only: tuple[str, ...],
    languages: tuple[str, ...],
    texts: int | None,
    reader: str | None,
    others: tuple[str, ...],
    runs: Path | None,
    docs: Path | None,
    force: bool,
    workers: int,
) -> None:
    """Reproduce the STELA paper's experiments, and more, and write a results page.

    The page is results.md for the embedded model and results-NAME.md for another one, which results.md then
    compares. Runs are kept: give the command again to continue one that was stopped. Published pages are
    only replaced if you name their folder and give --force.
    """
    if context.invoked_subcommand is not None:
        return
    from stela_paper.experiment_files import require_known
    from stela_paper.reported import experiment_of, print_reported

    if listed:
        print_reported(console())
        return
    only = tuple(dict.fromkeys([*only, *map(experiment_of, reported)]))
    from stela_paper.running import Request, names_for, require_free, run_paper, subject_of

    require_known(only)
    subject = subject_of(model)
    folder = runs or Path("runs", "paper" if subject.embedded else f"paper-{subject.name}")
    request = Request(folder, model, data, languages, texts, reader, workers)
    if docs is not None:
        require_free(docs, request, only, force)
    run_paper(context, request, only or names_for(subject), others, docs or request.docs)


@paper.command("tables", epilog="\b\nExample:\n  stela paper tables which runs/which runs/which-costs")
@click.argument(
    "page",
    type=click.Choice(
        [
            *("families", "which", "which-edits", "which-detectors", "which-registers", "which-equal"),
            *("which-sameness", "languages", "surface", "widths", "payload", "payload-equal", "trust"),
            "registers",
        ]
    ),
)
@click.argument(
    "runs", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.option("--print", "shown", is_flag=True, help="Print the tables, and leave the page unchanged.")
@click.option(
    "--force", is_flag=True, help="Write the page of runs with fewer prompts than their experiment, too."
)
@click.option("--keep", is_flag=True, help="Keep what is in DIR/results and in none of the runs.")
@docs_option
def tables(page: str, runs: tuple[Path, ...], shown: bool, force: bool, keep: bool, docs: Path) -> None:
    """Write the tables of a page from folders of runs. The tables of registers are printed."""
    from stela_paper.experiment_files import require_whole
    from stela_paper.results.reading import Run
    from stela_paper.tables import KEPT, PAGES, TABLES, with_tables, write_files

    read = [Run(folder) for folder in runs]
    results = docs / "results"
    made = TABLES[page](read, results) if keep and page in KEPT else TABLES[page](read)
    path = docs / f"{PAGES.get(page, page)}.md"
    if shown or page == "registers":
        click.echo("\n".join(made.values()))
    else:
        if not force:
            require_whole(read)
        path.write_text(with_tables(path.read_text("utf-8"), made), "utf-8")
        write_files(page, read, results, keep)


@paper.command("pages", epilog="\b\nExample:\n  stela paper pages")
@docs_option
def pages(docs: Path) -> None:
    """Write the pages again from the figures that are kept next to them: DIR/results. Nothing is run."""
    from stela_paper.results.page import write_pages

    for page in write_pages(docs):
        click.echo(page)


@paper.command("leaderboard", epilog="\b\nExample:\n  stela paper leaderboard")
@docs_option
def leaderboard(docs: Path) -> None:
    """Write leaderboard.md from the submitted runs next to it: DIR/leaderboard. Nothing is run."""
    from stela_paper.leaderboard import write_leaderboard

    click.echo(write_leaderboard(docs))


@paper.command("prompts", epilog="\b\nExample:\n  stela paper prompts --ewt DIR -o FOLDER")
@click.option(
    "--ewt",
    type=FOLDER,
    required=True,
    metavar="DIR",
    help="Folder of the UD English Web Treebank, .conllu.xz files.",
)
@click.option(
    "--package",
    "packages",
    multiple=True,
    metavar="NAME",
    help="Python package whose code is used. May be repeated.",
)
@click.option(
    "--most",
    type=click.IntRange(1),
    default=300,
    show_default=True,
    metavar="N",
    help="Largest number of prompts of each kind.",
)
@click.option("-o", "--output", type=FOLDER, required=True, metavar="DIR", help="Folder to write to.")
def prompts(ewt: Path, packages: tuple[str, ...], most: int, output: Path) -> None:
    """Make prompts of source code and of conversation, for the experiment registers."""
    from stela_paper.prompts import PACKAGES, write_prompts

    write_prompts(ewt, packages or PACKAGES, most, output)
