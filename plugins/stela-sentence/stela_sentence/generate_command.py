"""``stela sentence generate``: text whose sentences have a mark."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path

import click
from stela_cli.common import force_option, key_from, registry_of
from stela_cli.detect_inputs import read_records
from stela_cli.output import open_output
from stela_cli.printing import print_json, print_text, report
from stela_cli.progress import progress
from stela_models.cli.prompts import require_prompts

from stela_core.api import require_free, require_generation
from stela_sentence.mark import load_mark
from stela_sentence.options import mark_options
from stela_sentence.writing import Written, write


@click.command(
    "generate",
    epilog='\b\nExample:\n  stela sentence generate --mark m.json --model tiny --prompt "The city" '
    "-o o.jsonl",
)
@mark_options
@click.option("--model", required=True, help="Language model: alias, folder or Hugging Face name.")
@click.option("--prompt", "given", multiple=True, metavar="TEXT", help="Prompt. May be repeated.")
@click.option("--prompts", metavar="F.jsonl", help='Prompts, one a line, in the field "prompt" or "text".')
@click.option(
    "--sentences",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="Longest text, in sentences.",
)
@click.option(
    "--tries",
    type=click.IntRange(1, 10_000),
    default=64,
    show_default=True,
    help="Candidates for a sentence, at most.",
)
@click.option(
    "--batch-size",
    type=click.IntRange(1, 1024),
    default=8,
    show_default=True,
    help="Number of candidates drawn together.",
)
@click.option(
    "--temperature",
    type=click.FloatRange(0, min_open=True),
    default=0.7,
    show_default=True,
    help="Sampling temperature.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the draws.")
@click.option("--device", help="torch device of the model.  [default: cuda if there is one]")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False), metavar="OUT.jsonl", help="File to write records to."
)
@force_option
@click.option("--json", "as_json", is_flag=True, help="Print one record a line, one for each text.")
@click.pass_context
def generate(
    context: click.Context,
    mark: str,
    key_file: str | None,
    embedder: str | None,
    model: str,
    given: tuple[str, ...],
    prompts: str | None,
    sentences: int,
    tries: int,
    batch_size: int,
    temperature: float,
    seed: int,
    device: str | None,
    output: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Generate text whose sentences have a mark.

    Only the generated part is printed, without the prompt.
    """
    require_prompts(given, prompts)
    if output is not None:
        require_free(Path(output), force)
    asked = (
        list(given) if prompts is None else [text for _, text, _ in read_records(prompts, ("prompt", "text"))]
    )
    loaded = load_mark(mark, key_from(key_file), embedder)
    require_generation()
    from stela_models.load import load_model

    from stela_sentence.draws import model_draws

    language_model = load_model(registry_of(context), model, device)
    texts: list[Written] = []
    with ExitStack() as stack:
        records = None if output is None else stack.enter_context(open_output(Path(output), force))
        advance = stack.enter_context(progress("writing", len(asked)))
        for number, prompt in enumerate(asked):
            draw = model_draws(language_model, prompt, number, temperature, seed)
            texts.append(write(loaded, prompt, draw, sentences, tries, batch_size))
            if records is not None:
                records.write(json.dumps(texts[-1].to_dict(), ensure_ascii=False) + "\n")
                records.flush()  # what is done survives an interruption
            if as_json:
                print_json(texts[-1].to_dict())
            elif records is None:
                print_text(texts[-1].text.strip())
            advance(1)
    if output is not None and not as_json:
        report(output, f"{output}: {_said(texts)}")


def _said(texts: list[Written]) -> str:
    count = sum(len(text.tries) for text in texts)
    looked = sum(sum(text.tries) for text in texts) / max(count, 1)
    missed = count - sum(sum(text.valid) for text in texts)
    return f"texts {len(texts)}, sentences {count}, candidates a sentence {looked:.1f}, without mark {missed}"
