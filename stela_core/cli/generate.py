"""``stela generate``: marked text for prompts."""

from __future__ import annotations

import json
from pathlib import Path

import click

from stela_core.cli.common import key_from, print_json, registry_of
from stela_core.cli.inputs import read_jsonl
from stela_core.cli.progress import progress
from stela_core.errors import StelaError
from stela_core.watermark import load


@click.command("generate")
@click.option("--profile", required=True, type=click.Path(), metavar="P.stela")
@click.option("--model", required=True, help="Alias, folder or Hugging Face name.")
@click.option("--prompt", help="One prompt.")
@click.option("--prompts", "prompts_file", metavar="F.jsonl", help='One per line, as "prompt" or "text".')
@click.option("--key-file", metavar="FILE", help="Key of a secret-key profile (or set STELA_KEY).")
@click.option("--max-new-tokens", type=click.IntRange(1), default=200, show_default=True)
@click.option("--min-new-tokens", type=click.IntRange(0), default=0, help="No end of text before.")
@click.option("--temperature", type=click.FloatRange(0), default=0.7, show_default=True, help="0 is greedy.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--batch-size", type=click.IntRange(1), default=8, show_default=True)
@click.option("--device", help="torch device. [cuda where there is one]")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False), metavar="OUT.jsonl", help="Write records here."
)
@click.option("--json", "as_json", is_flag=True, help="Print one record per text, one per line.")
@click.pass_context
def generate(
    context: click.Context,
    profile: str,
    model: str,
    prompt: str | None,
    prompts_file: str | None,
    key_file: str | None,
    max_new_tokens: int,
    min_new_tokens: int,
    temperature: float,
    seed: int,
    batch_size: int,
    device: str | None,
    output: str | None,
    as_json: bool,
) -> None:
    """Generate text that carries the profile's watermark; only the generated part is printed."""
    if (prompt is None) == (prompts_file is None):
        raise StelaError("give either --prompt TEXT or --prompts F.jsonl.", "one of the two")
    if prompt == "":
        raise StelaError("the prompt is empty.", "give at least one character")
    prompts = [prompt] if prompt is not None else []
    if prompts_file is not None:
        prompts = [text for _, text in read_jsonl(prompts_file, ("prompt", "text"))]
    registry = registry_of(context)
    watermark = load(profile, key_from(key_file), registry)

    from stela_core.generation.load import load_model, require_generation

    require_generation()
    from stela_core.generation.generate import Sampling
    from stela_core.generation.generate import generate as run

    language_model = load_model(registry, model, device)
    sampling = Sampling(max_new_tokens, min(min_new_tokens, max_new_tokens), temperature, seed)
    records = open_output(output)
    biases: list[float] = []
    try:
        with progress("generating", len(prompts)) as advance:
            for batch in run(watermark, language_model, prompts, sampling, batch_size):
                for text in batch:
                    biases.append(text.mean_bias)
                    if records is not None:
                        records.write(json.dumps(text.to_dict(), ensure_ascii=False) + "\n")
                    if as_json:
                        print_json(text.to_dict())
                    elif records is None:
                        click.echo(text.text)
                if records is not None:
                    records.flush()  # what is done survives an interruption
                advance(len(batch))
    finally:
        if records is not None:
            records.close()
    if output is not None and not as_json:
        mean = sum(biases) / len(biases)
        click.echo(f"{output}: {len(prompts)} text{'s' * (len(prompts) > 1)}, mean bias {mean:.2f}")


def open_output(output: str | None):  # type: ignore[no-untyped-def]
    """Open the file for records, or nothing.

    Raises:
        StelaError: it cannot be written.
    """
    if output is None:
        return None
    try:
        return Path(output).open("w", encoding="utf-8")
    except OSError as error:
        raise StelaError(f'cannot write "{output}": {error.strerror}.', "choose another -o") from None
