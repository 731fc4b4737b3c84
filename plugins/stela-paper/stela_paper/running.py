"""The experiments, one after the other, each by the command ``stela run``; runs that are there go on."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

import click
from stela_cli.printing import say
from stela_run.cli.run import run
from stela_tables.cli.lambda_build import lambda_build

from stela_core import StelaError
from stela_paper.experiment_files import copy_of
from stela_paper.results.kept import MODELS
from stela_paper.results.page import SECTIONS, TINY, Subject, write_page
from stela_paper.results.reading import Run

TAGGERS = {"en": "penn", "zh": "ctb", "ko": "sejong"}
DOCUMENTS = 300
"""Number of documents of each corpus, for the tables of k = 5, which are not shipped."""

SAMPLE = (
    "on a small shipped sample of public-domain text (no data folder was given: the numbers test the "
    "machinery, not the method)"
)
DATA = (
    "on up to 200 prompts and human continuations a language (Wikipedia, textbooks, documentation, stories, "
    "petitions), of documents that tables and training never saw"
)

OF_SIZES = {"scaling"}
"""Experiments that name models themselves."""

WITH_TABLES = "context-length"
"""The experiment that needs tables of k = 5."""


@dataclass(frozen=True)
class Request:
    """What is to be run, and on what."""

    runs: Path
    """Folder of the runs' folders."""
    model: str | None = None
    """A name or a folder, in place of the embedded model."""
    data: Path | None = None
    """Folder of prompts and corpora, in place of the shipped sample."""
    languages: tuple[str, ...] = ()
    """Codes; none for all of each file."""
    texts: int | None = None
    """Prompts of each experiment, in place of the experiment's number."""
    reader: str | None = None
    """A model under which perplexity is measured, in place of the files'."""
    workers: int = 2

    @property
    def files(self) -> Path:
        """Folder of the experiment files as they are run."""
        return self.runs / "experiments"

    @property
    def docs(self) -> Path:
        """Folder of pages that nobody has published: what was run last may replace them."""
        return self.runs / "docs"

    def short_of(self, only: Collection[str]) -> list[str]:
        """The options by which fewer experiments, languages or texts are run than published pages rest on."""
        given = {
            "without --only": only,
            "without --language": self.languages,
            "without --texts": self.texts,
            "with --data": self.data is None,
        }
        return [change for change, short in given.items() if short]


def subject_of(model: str | None) -> Subject:
    """The model that a folder or a name means, as the page names it."""
    if model is None:
        return TINY
    folder = Path(model)
    note = folder / "made.json"
    words = json.loads(note.read_text("utf-8"))["model"] if note.exists() else f"`{folder.name}`"
    return Subject(re.sub(r"[^\w.-]+", "-", folder.resolve().name).lower(), words)


def names_for(subject: Subject) -> list[str]:
    """The experiments of a model's page."""
    return [name for name in [*SECTIONS, "weights"] if subject.embedded or name not in OF_SIZES]


def holds_pages(docs: Path) -> bool:
    """Whether a folder has pages of results, or the figures that they are written from."""
    return (docs / MODELS).exists() or any(docs.glob("results*.md"))


def require_free(docs: Path, request: Request, only: Collection[str], force: bool) -> None:
    """Refuse to replace published pages, unless all experiments are run and the user insists.

    Args:
        docs: the folder to write to.
        request: on what is run.
        only: names of the experiments that were asked for; none for all.
        force: whether the user insists.

    Raises:
        StelaError: the folder holds pages, and these may not replace them.
    """
    if docs.resolve() == request.docs.resolve() or not holds_pages(docs):
        return
    elsewhere = f"without --docs the page is written to {request.docs}"
    if not force:
        raise StelaError(f"{docs} holds pages of results already.", f"{elsewhere}; --force replaces them")
    if short := request.short_of(only):
        problem = f"--force replaces the pages in {docs} only with all experiments on a folder of data"
        raise StelaError(f"{problem}.", f"run it {' and '.join(short)}; {elsewhere}")


def run_paper(
    context: click.Context, request: Request, names: Collection[str], others: Iterable[str], docs: Path
) -> None:
    """Run experiments and write the page of the model.

    Args:
        context: of the command.
        request: on what they are run.
        names: of the experiments.
        others: further models to try the learned tables on, where they are tried on the embedded one.
        docs: folder of the page; that of the request takes its place where an experiment could not be run.
    """
    began = time.monotonic()
    subject = subject_of(request.model)
    if WITH_TABLES in names:
        build_tables(context, request)
    runs = {name: Run(request.runs / name) for name in names if run_experiment(context, request, name)}
    transfers = {}
    for model in others if "weights" in runs and subject.embedded else ():
        folder = request.runs / f"transfer-{Path(model).name}"
        if run_experiment(context, request, "transfer", folder, model):
            transfers[Path(model).name] = Run(folder)
    if len(runs) < len(names) and docs.resolve() != request.docs.resolve() and holds_pages(docs):
        say(f"{docs} is left as it is: {len(names) - len(runs)} experiments did not run", err=True)
        docs = request.docs
    page = write_page(runs, transfers, docs, SAMPLE if request.data is None else DATA, subject)
    say(f"{page}: {len(runs)} experiments, {(time.monotonic() - began) / 60:.1f} minutes")


def build_tables(context: click.Context, request: Request) -> None:
    """The tables of k = 5, from a sample of the corpora, where given; those that are there are kept."""
    for code in request.languages or TAGGERS:
        table = request.files / "tables" / f"{TAGGERS.get(code)}-k5.json"
        folder = (request.data or request.files) / "corpora" / code
        corpora = tuple(map(str, sorted(folder.glob("*.jsonl.gz"))))
        if code not in TAGGERS or not corpora or table.exists():
            continue
        table.parent.mkdir(parents=True, exist_ok=True)
        options = {"corpora": corpora, "documents": DOCUMENTS, "k": 5, "workers": request.workers}
        try:
            context.invoke(lambda_build, tagger=TAGGERS[code], output=str(table), **options)
        except (StelaError, OSError) as error:
            say(f"{table.name}: {error}", err=True)


def run_experiment(
    context: click.Context,
    request: Request,
    name: str,
    folder: Path | None = None,
    model: str | None = None,
) -> bool:
    """One experiment, resumed where it was begun; whether there are records.

    Args:
        context: of the command.
        request: on what it is run.
        name: of its file.
        folder: of the run; by default that of its name.
        model: in place of the request's.
    """
    began = time.monotonic()
    folder = folder or request.runs / name
    model = model or request.model
    say(f"{folder.name}:", err=True)
    try:
        context.invoke(
            run,
            experiment_file=str(copy_of(name, request.files, request.reader)),
            output=str(folder),
            resume=True,
            keep_going=True,
            workers=request.workers,
            data=None if request.data is None else str(request.data.absolute()),
            models=() if model is None else (model,),
            languages=request.languages,
            texts=request.texts,
        )
    except (StelaError, OSError) as error:
        # Such as a folder that holds another experiment: its records are not what was asked for.
        say(f"{folder.name}: {error}", err=True)
        return False
    say(f"{folder.name}: {time.monotonic() - began:.0f} s")
    return (folder / "records.jsonl").exists()
