"""``stela trace``: was a model trained on text of a profile's mark?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np
from stela_cli.common import key_from, registry_of, tagger_option
from stela_cli.detect_inputs import read_records
from stela_cli.documents.read import texts_of
from stela_cli.documents.sources import Readers, sources_of
from stela_cli.printing import print_json, say
from stela_cli.problems import Problems
from stela_cli.progress import progress

from stela_audit.radioactivity.places import require_traceable
from stela_audit.radioactivity.trace import trace_answers, trace_closed, trace_open
from stela_core import Registry, StelaError, load
from stela_core.api import require_generation


@click.command(
    "trace",
    epilog="\b\nExample:\n  stela trace --profile p.stela --model tiny --texts texts.jsonl",
)
@click.option("--profile", required=True, type=click.Path(), metavar="P.stela", help="Profile of the mark.")
@click.option("--model", metavar="M", help="Suspect language model: alias, folder or Hugging Face name.")
@click.option(
    "--key-file", metavar="FILE", help="Key file of a secret-key profile, or a folder.  [variable: STELA_KEY]"
)
@tagger_option
@click.option(
    "--prompts", "prompts_file", metavar="F.jsonl", help="Closed form: the model writes after these prompts."
)
@click.option(
    "--answers",
    "answers_file",
    metavar="F.jsonl",
    help='Closed form without --model: its answers, each a line with "text" and "prompt".',
)
@click.option(
    "--texts",
    "texts_files",
    multiple=True,
    metavar="FILE",
    help="Open form: the model reads these texts. Best are those with the mark. May be repeated.",
)
@click.option(
    "--mode", type=click.Choice(["closed", "open"]), help="Form of the test.  [default: what the files are]"
)
@click.option(
    "--unmarked", is_flag=True, help="Prompts or texts surely have no mark of this key: more tokens count."
)
@click.option(
    "--tokens",
    type=click.IntRange(1),
    metavar="N",
    help="Number of distinct pairs scored at most, the first ones.  [default: all]",
)
@click.option(
    "--max-new-tokens",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    help="Longest answer, in tokens.",
)
@click.option(
    "--temperature",
    type=click.FloatRange(0),
    default=0.7,
    show_default=True,
    help="Sampling temperature of answers; 0 is greedy.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the draws.")
@click.option("--device", help="torch device of the model.  [default: cuda if there is one]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def trace(
    context: click.Context,
    profile: str,
    model: str | None,
    key_file: str | None,
    tagger: str | None,
    prompts_file: str | None,
    answers_file: str | None,
    texts_files: tuple[str, ...],
    mode: str | None,
    unmarked: bool,
    tokens: int | None,
    max_new_tokens: int,
    temperature: float,
    seed: int,
    device: str | None,
    as_json: bool,
) -> int:
    """Test whether a model was trained on text with the mark of a profile.

    The p-value is that of a model that never saw text of this key. A large one clears no model.
    A model that is served with the mark looks trained on it, too.
    """
    require_one_form(prompts_file, answers_file, texts_files, mode, model)
    problems = Problems()
    key = Path(key_file) if key_file is not None and Path(key_file).is_dir() else key_from(key_file)
    registry = registry_of(context)
    texts: list[str] = []
    records: list[tuple[str, str]] = []
    if texts_files:
        texts = texts_in(texts_files, registry, problems)
        if problems.count and not texts:
            return problems.end()
    else:
        records = list(records_of(prompts_file, answers_file, unmarked))
    watermark = load(profile, key, registry, tagger)
    require_traceable(watermark, unmarked)
    if answers_file is not None:
        rows = [np.array(row, dtype=np.int64) for row in watermark.detector.ids_of([t for _, t in records])]
        traced = trace_closed(watermark, rows, [prompt for prompt, _ in records], unmarked, tokens)
    else:
        assert model is not None
        require_generation("running the suspect model")
        from stela_models.load import load_model

        language_model = load_model(registry, model, device)
        if texts_files:
            with progress("reading", None) as advance:
                traced = trace_open(watermark, language_model, texts, unmarked, tokens, advance)
        else:
            from stela_audit.radioactivity.suspect import Writing

            writing = Writing(max_new_tokens, temperature, seed)
            with progress("writing", len(records)) as advance:
                prompts = [prompt for prompt, _ in records]
                traced = trace_answers(watermark, language_model, prompts, writing, unmarked, tokens, advance)
    if as_json:
        print_json(traced.to_dict())
    else:
        for line in traced.lines():
            say(line)
    return problems.end()


def texts_in(files: tuple[str, ...], registry: Registry, problems: Problems) -> list[str]:
    """The texts of files of any kind; what cannot be read is reported."""
    readers, texts = Readers(registry), []
    sources = sources_of(files, None, problems.note, readers)
    for item in texts_of(sources, "text", problems.note, readers):
        if isinstance(item, StelaError):
            problems.report(item)
        else:
            texts.append(item.text)
    return texts


def require_one_form(
    prompts: str | None, answers: str | None, texts: tuple[str, ...], mode: str | None, model: str | None
) -> None:
    """Find out whether the options are of one form.

    Raises:
        StelaError: saying which to give.
    """
    given = [
        name for name, value in (("--prompts", prompts), ("--answers", answers), ("--texts", texts)) if value
    ]
    if len(given) != 1:
        raise StelaError(
            f"give one of --prompts, --answers and --texts, not {' and '.join(given) or 'none'}.",
            "--prompts F.jsonl for the closed form, --texts FILE for the open form",
        )
    form = "open" if texts else "closed"
    if mode not in (None, form):
        raise StelaError(
            f"{given[0]} is for the {form} form, and --mode says {mode}.",
            "leave --mode out, or give --texts FILE for the open form, --prompts F.jsonl for the closed form",
        )
    if (model is None) == (answers is None):
        what = f"{given[0]} needs the suspect model" if model is None else "--answers needs no --model"
        raise StelaError(f"{what}.", "add --model M" if model is None else "leave --model out")


def records_of(prompts: str | None, answers: str | None, unmarked: bool) -> Iterator[tuple[str, str]]:
    """Prompt and answer of each line; the answer is empty in a file of prompts.

    Raises:
        StelaError: naming file and line.
    """
    if prompts is not None:
        for _, prompt, _ in read_records(prompts, ("prompt", "text")):
            yield prompt, ""
    elif answers is not None:
        for number, text, record in read_records(answers, ("text",)):
            prompt = record.get("prompt", "" if unmarked else None)
            if not isinstance(prompt, str):
                raise StelaError(
                    f'{answers}:{number} has no "prompt": what the answer only repeats cannot be held out.',
                    "write it into each line, or add --unmarked if prompts surely have no mark of the key",
                )
            yield prompt, text
