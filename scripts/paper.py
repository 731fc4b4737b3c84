"""Run the paper's experiments and write the page: ``make paper``, ``make paper MODEL=FOLDER``.

    python -m scripts.paper [--data DIR] [--model M] [--other M ...] [--reader M] [--texts N] [--only NAME]

On the embedded model, docs/results.md; on another, docs/results-NAME.md, and its figures beside the embedded
one's on that page. DIR holds ``prompts/{en,zh,ko}.jsonl.gz``, ``corpora/`` and ``wordnet/wordnet.zip``;
without it a shipped sample stands in. ``--other`` names further models to try the learned tables on. Runs are
kept and resumed: a killed one goes on by the same command. ``--reader`` names the model under which
perplexity is measured, in place of ``tiny-small``, which knows too little to read a large model's text.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path

from scripts.results.page import SECTIONS, TINY, Subject, write_page
from scripts.results.reading import Run

ROOT = Path(__file__).parents[1]
EXPERIMENTS = ROOT / "docs" / "experiments"

TAGGERS = {"en": "penn", "zh": "ctb", "ko": "sejong"}
DOCUMENTS = 300
"""Of each corpus, for the tables of k = 5, which are not shipped."""

SAMPLE = (
    "on a small shipped sample of public-domain text (no data folder was given: the numbers test the "
    "machinery, not the method)"
)
DATA = (
    "on up to 200 prompts and human continuations a language (Wikipedia, textbooks, documentation, stories, "
    "petitions), of documents that tables and training never saw"
)


READER = 'name = "quality-perplexity", model = "tiny-small"'
"""How experiment files ask for perplexity."""

OF_SIZES = {"scaling"}
"""Experiments that name models of their own."""


def subject_of(model: str) -> Subject:
    """The model that a folder or a name means, as the page names it."""
    folder = Path(model)
    note = folder / "made.json"
    words = json.loads(note.read_text("utf-8"))["model"] if note.exists() else f"`{folder.name}`"
    return Subject(re.sub(r"[^\w.-]+", "-", folder.resolve().name).lower(), words)


def build_tables(folder: Path, data: Path | None) -> None:
    """The tables of k = 5, from a sample of the corpora."""
    if data is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    for code, tagger in TAGGERS.items():
        table = folder / f"{tagger}-k5.json"
        corpora = sorted((data / "corpora" / code).glob("*.jsonl.gz"))
        if corpora and not table.exists():
            named = [part for corpus in corpora for part in ("--corpus", str(corpus))]
            run("lambda", "build", "--tagger", tagger, *named, "--documents", str(DOCUMENTS), "--k", "5",
                "--workers", "2", "-o", str(table))  # fmt: skip


def run(*arguments: str) -> int:
    """One ``stela`` command, its output left to see."""
    print("$ stela", *arguments, flush=True)
    return subprocess.run([sys.executable, "-m", "stela_core", *arguments], cwd=ROOT, check=False).returncode


def read_by(file: Path, reader: str | None, folder: Path) -> Path:
    """The experiment file, or a copy in a folder that has perplexity measured under another model."""
    content = file.read_text("utf-8")
    if reader is None or READER not in content:
        return file
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / file.name
    copy.write_text(
        content.replace(READER, f'name = "quality-perplexity", model = {json.dumps(reader)}'), "utf-8"
    )
    return copy


def run_experiment(name: str, folder: Path, options: list[str], reader: str | None = None) -> bool:
    """One experiment, resumed where it was begun; whether there are records."""
    began = time.monotonic()
    status = run(
        "run",
        str(read_by(EXPERIMENTS / f"{name}.toml", reader, folder.parent / "experiments")),
        "-o",
        str(folder),
        "--resume",
        "--keep-going",
        "--workers",
        "2",
        *options,
    )
    print(f"{folder.name}: {time.monotonic() - began:.0f} s, status {status}", flush=True)
    # 2: refused, such as a folder that holds another experiment.
    return status != 2 and (folder / "records.jsonl").exists()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--model", help="a folder or a name, in place of the embedded model")
    parser.add_argument("--language", nargs="*", default=[], help="codes; by default all of each file")
    parser.add_argument("--other", nargs="*", default=["tiny-small"])
    parser.add_argument("--texts", type=int, help="prompts of each experiment, in place of its own number")
    parser.add_argument("--reader", help="a folder or a name: measures perplexity, in place of tiny-small")
    parser.add_argument("--only", nargs="*", help="names of experiments")
    parser.add_argument("--runs", type=Path, help="folder of the runs")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    args = parser.parse_args()
    began = time.monotonic()
    subject = TINY if args.model is None else subject_of(args.model)
    args.runs = args.runs or ROOT / "runs" / ("paper" if subject.embedded else f"paper-{subject.name}")
    args.runs.mkdir(parents=True, exist_ok=True)
    build_tables(EXPERIMENTS / "tables", args.data)
    options = [] if args.data is None else ["--data", str(args.data.absolute())]
    if args.texts is not None:
        options += ["--texts", str(args.texts)]
    if not subject.embedded:
        options += ["--model", args.model]
    options += [part for code in args.language for part in ("--language", code)]
    names = args.only or [name for name in [*SECTIONS, "weights"] if subject.embedded or name not in OF_SIZES]
    runs = {
        name: Run(args.runs / name)
        for name in names
        if run_experiment(name, args.runs / name, options, args.reader)
    }
    transfers = {}
    if "weights" in runs and subject.embedded:
        for model in args.other:
            name = Path(model).name
            folder = args.runs / f"transfer-{name}"
            if run_experiment("transfer", folder, [*options, "--model", model]):
                transfers[name] = Run(folder)
    texts = SAMPLE if args.data is None else DATA
    page = write_page(runs, transfers, args.docs, texts, subject)
    print(f"{page}: {len(runs)} experiments, {(time.monotonic() - began) / 60:.1f} minutes", flush=True)


if __name__ == "__main__":
    main()
