"""``stela detect``: test texts against a profile."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from stela_cli.common import allow_lenient_option, parse_assignments, registry_of, tagger_option
from stela_cli.detect_files import ResultFiles
from stela_cli.detect_help import EXAMPLE, SECTIONS
from stela_cli.detect_inputs import (
    all_of,
    candidates_from,
    detection_model,
    key_sets_from,
    keys_from,
    model_of,
    prompts_of,
    require_goes_with_profiles,
    watermarks_of,
)
from stela_cli.detect_jobs import (
    Examined,
    ExamineForOne,
    ExamineForSeveral,
    ExamineOptions,
    TextGroup,
    batches_of,
    parts_of,
    texts_at_once,
)
from stela_cli.detect_output import Printed, Total
from stela_cli.detect_steps import Steps
from stela_cli.detect_table import output_of
from stela_cli.documents.reader import Text
from stela_cli.documents.sources import Readers, sources_of
from stela_cli.group import sectioned
from stela_cli.jobs.executor import Job, Workers
from stela_cli.jobs.workers import make_executor, plugin_files
from stela_cli.problems import Problems
from stela_cli.profile_show import show_provenance
from stela_cli.progress import progress
from stela_cli.registers import Register, read_register
from stela_core import StelaError, Watermark, load

if TYPE_CHECKING:
    ParamType = click.ParamType[str]
else:
    ParamType = click.ParamType  # not generic in older versions

log = logging.getLogger(__name__)


class Format(ParamType):
    """A format that an installed reader reads."""

    name = "format"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The format's name, if there is a reader of it."""
        assert ctx is not None
        return Readers(registry_of(ctx)).get(value).format

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The formats that begin so."""
        formats = sorted(Readers(registry_of(ctx)).by_format)
        return [CompletionItem(name) for name in formats if name.startswith(incomplete)]


@click.command("detect", cls=sectioned(SECTIONS), epilog=EXAMPLE)
@click.argument("files", nargs=-1, metavar="[FILE ... | -]")
@click.option("--profile", type=click.Path(), metavar="P.stela", help="Test for the mark of this profile.")
@click.option("--profiles", metavar="DIR", help="Test for the marks of all profiles in a folder.")
@click.option(
    "--key-file",
    "key_files",
    multiple=True,
    metavar="FILE",
    help="Key file of a secret-key profile, or a folder of them. May be repeated.  [variable: STELA_KEY]",
)
@click.option(
    "--keys",
    "keys_files",
    multiple=True,
    metavar="F.jsonl",
    help='Candidate keys to test for in place of the profile\'s own, each a line with "key_id" and "key". '
    "With --profiles: NAME.jsonl is for NAME.stela, folders may be named, and it may be repeated.",
)
@click.option(
    "--format", "kind", type=Format(), help="Read all files as this format.  [default: what each file is]"
)
@click.option(
    "--column",
    default="text",
    show_default=True,
    metavar="NAME",
    help="Field of JSON or column of CSV that holds the text; may be a dotted path (a.0.b).",
)
@tagger_option
@click.option(
    "--model",
    metavar="M",
    help="Language model, for schemes that weigh tokens by its logits: alias, folder or name.",
)
@click.option(
    "--surrogate", metavar="M", help="Smaller model in place of --model; it may have another tokenizer."
)
@click.option("--prompts", "prompts_file", metavar="F.jsonl", help="Prompts of the texts, for --model.")
@click.option(
    "--messages",
    "messages_file",
    metavar="F.jsonl",
    help='Register of the messages that were issued, each a line with "message". Others are not read.',
)
@click.option("--device", help="torch device of the model.  [default: cuda if there is one]")
@click.option("--tokens", is_flag=True, help="Show the colour, weight and context of each token.")
@click.option("--windows", is_flag=True, help="Find the passages of a long text that look marked.")
@click.option("--as-it-is", is_flag=True, help="Test only the text as given, without its canonical forms.")
@click.option(
    "--scoring",
    multiple=True,
    metavar="NAME=VALUE",
    help="Parameter of the scorer in place of the profile's: repeats=RULE, ties=RULE. May be repeated.",
)
@click.option(
    "--written-between",
    "written",
    nargs=2,
    metavar="DATE DATE",
    help="Test only for keys of these days, if keys have epochs (UTC, as 2026-12-01).",
)
@allow_lenient_option
@click.option(
    "--workers",
    type=click.IntRange(1, 1024),
    metavar="N",
    help="Number of processes that test.  [default: 1]",
)
@click.option(
    "--executor", default="local", show_default=True, metavar="NAME", help="Executor that runs the workers."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line, one for each text.")
@click.option(
    "--csv", "as_csv", is_flag=True, help="Print CSV: a row of column names, then one row for each text."
)
@click.option("--parquet", metavar="F.parquet", help="Also write the columns of --csv to this Parquet file.")
@click.option("--html", metavar="F.html", help="Also write a report for readers to this HTML file.")
@click.option("--force", is_flag=True, help="Replace the files of --parquet and --html if they exist.")
@click.option("--quiet", "-q", is_flag=True, help="Print no results. Implies --exit-code.")
@click.option("--exit-code", is_flag=True, help="Exit with status 1 unless a mark was found in every text.")
@click.pass_context
def detect(
    context: click.Context,
    files: tuple[str, ...],
    profile: str | None,
    profiles: str | None,
    key_files: tuple[str, ...],
    keys_files: tuple[str, ...],
    kind: str | None,
    column: str,
    tagger: str | None,
    model: str | None,
    surrogate: str | None,
    prompts_file: str | None,
    messages_file: str | None,
    device: str | None,
    tokens: bool,
    windows: bool,
    as_it_is: bool,
    scoring: tuple[str, ...],
    written: tuple[str, str] | None,
    allow_lenient: bool,
    workers: int | None,
    executor: str,
    as_json: bool,
    as_csv: bool,
    parquet: str | None,
    html: str | None,
    force: bool,
    quiet: bool,
    exit_code: bool,
) -> int:
    """Test texts for the watermark of a profile, or of all profiles in a folder.

    FILE is plain text, .jsonl, .json, .csv, .html, .docx or .pdf, or a folder of them. Answers of servers
    with OpenAI's interface are read as they are: JSON, event streams (.sse) and batch output.

    With --profiles, each p-value is multiplied by the number of marks tested.

    The exit status is 0, or 2 if some text could not be read or tested; the others are tested all the
    same. With --exit-code, it is 1 if some text carries no mark that was found.
    """
    if not files:
        raise StelaError("no text to test.", "name files, or - for standard input")
    if (profile is None) == (profiles is None):
        raise StelaError("give either --profile P.stela or --profiles DIR.", "see stela detect --help")
    choice = Printed.chosen(as_json, as_csv, quiet, tokens)
    files_written = ResultFiles(parquet, html, force)
    problems = Problems(quiet)
    registry = registry_of(context)
    readers = Readers(registry)
    sources = sources_of(files, kind, problems.note, readers)
    steps = Steps(sources)
    items: Iterable[Text | StelaError] = steps.read(column, problems.note, readers)
    prompts: list[str] | None = None
    if prompts_file is not None:
        items = all_of(items)
        prompts = prompts_of(prompts_file, len(items))
    batches = batches_of(items, problems)
    first = next(batches, None)  # a mistake in all that is given is found before anything is loaded
    if first is None:
        return problems.end()
    rules = parse_assignments(scoring, "--scoring")
    options = ExamineOptions(
        as_it_is,
        windows,
        allow_lenient,
        rules,
        model,
        device,
        plugin_files(registry),
        written,
        tokens or html is not None,
        surrogate,
    )
    register: Register | None = None
    run_by = make_executor(registry, executor, workers)
    job: Job[TextGroup, Examined[Any]]
    tested_for: dict[str, Watermark]
    if profile is not None:
        keys = keys_from(key_files, problems)
        options = replace(options, candidates=candidates_from(keys_files, key_files, problems))
        chosen = written, options.candidates
        watermark = load(profile, keys, registry, tagger, allow_lenient, rules, *chosen)
        for key_id in watermark.keys.missing:
            problems.note(f"the profile's key {key_id} was not given: texts are not tested for it")
        hasher = watermark.profile.hasher
        dated = hasher.keys if options.candidates is None else options.candidates
        if written is not None and not any(key.since or key.until for key in dated):
            problems.note("the keys have no epochs: texts are tested for all of them")
        if messages_file is not None:
            register = read_register(messages_file, watermark.parts.encoder)
            options = replace(options, messages=tuple(register.lines))
            watermark = watermark.among(tuple(register.lines))
        language_model = detection_model(watermark, registry, model, surrogate, device)
        job, marks = ExamineForOne(profile, keys, tagger, options, watermark, language_model), 1
        tested_for = {Path(profile).name: watermark}
    else:
        assert profiles is not None
        require_goes_with_profiles(tagger, messages_file)
        options = replace(options, key_sets=key_sets_from(keys_files, problems))
        watermarks = watermarks_of(
            profiles,
            key_files,
            registry,
            model_of(registry, model, surrogate, device),
            allow_lenient,
            rules,
            problems,
            written,
            options.key_sets,
        )
        job, marks = ExamineForSeveral(profiles, key_files, options, watermarks), len(watermarks)
        tested_for = {name: watermarks[name] for name in watermarks.names}
    several = profile is None
    messages = not several and watermark.parts.encoder is not None
    output = output_of(choice, several, tokens, windows, messages, register)
    total = Total()
    marked = True
    crew: Workers[TextGroup, Examined[Any]] = run_by.start(job)
    with (
        files_written.opened(tested_for, several, windows, tokens, messages) as others,
        crew,
        progress("detecting", steps.total(prompts)) as advance,
    ):
        shared = executor != "local" or (workers or 1) > 1
        for examined in crew.map(parts_of(chain([first], batches), prompts, texts_at_once(marks), shared)):
            for source, result in zip(examined.sources, examined.results, strict=True):
                for each in (output, *others):
                    each.add(source, result)
                total.add(result)
                marked = marked and result.watermarked
            advance(steps.done(len(examined.sources)))
            log.info("texts tested so far: %d", total.texts)
    output.end()
    if profile is not None and choice is Printed.TABLE:
        show_provenance(watermark, registry, profile)
    status = problems.end()
    if choice is not Printed.NOTHING and any(Path(file).is_dir() for file in files):
        total.say(problems.count, err=choice is not Printed.TABLE)
    return status or int((exit_code or quiet) and not marked)
