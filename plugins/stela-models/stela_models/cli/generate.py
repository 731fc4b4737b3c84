"""``stela generate``: marked text for prompts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TextIO

import click
from stela_cli.common import force_option, key_from, registry_of, tagger_option
from stela_cli.group import sectioned
from stela_cli.output import open_output
from stela_cli.printing import print_json, print_text, report, say
from stela_cli.progress import progress

from stela_core import StelaError, load
from stela_core.api import require_free
from stela_models.cli.prompts import asked_for, messages_of, require_prompts

SECTIONS = {
    "Mark": "--profile --key-file --message --tagger --round-trip",
    "Prompts": "--prompt --prompts --chat --system",
    "Model": "--model --device --batch-size",
    "Drawing": "--temperature --top-p --top-k --max-new-tokens --min-new-tokens --seed",
    "Results": "--output --force --json",
}


@click.command(
    "generate",
    cls=sectioned(SECTIONS),
    epilog='\b\nExample:\n  stela generate --profile p.stela --model tiny --prompt "The city" -o out.jsonl',
)
@click.option(
    "--profile", required=True, type=click.Path(), metavar="P.stela", help="Profile that marks the text."
)
@click.option("--model", required=True, help="Language model: alias, folder or Hugging Face name.")
@click.option("--prompt", "given", multiple=True, metavar="TEXT", help="Prompt. May be repeated.")
@click.option(
    "--prompts",
    "prompts_file",
    metavar="F.jsonl",
    help='Prompts, one a line, in the field "prompt" or "text".',
)
@click.option(
    "--message",
    metavar="HEX|random",
    help="Message that the marks carry, for a profile with bits; random draws one for each text. "
    'A prompt\'s own "message" goes before it.',
)
@click.option("--chat", is_flag=True, help="Use the chat template of the model's tokenizer.")
@click.option("--system", metavar="TEXT", help="System message before each prompt, with --chat.")
@click.option("--key-file", metavar="FILE", help="Key file of a secret-key profile.  [variable: STELA_KEY]")
@tagger_option
@click.option(
    "--max-new-tokens",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    help="Longest text, in tokens.",
)
@click.option("--min-new-tokens", type=click.IntRange(0), default=0, help="Shortest text, in tokens.")
@click.option(
    "--temperature",
    type=click.FloatRange(0),
    default=0.7,
    show_default=True,
    help="Sampling temperature; 0 is greedy.",
)
@click.option(
    "--top-p",
    type=click.FloatRange(0, 1, min_open=True),
    help="Draw from the likeliest tokens with this probability together.  [default: all]",
)
@click.option(
    "--top-k", type=click.IntRange(1), help="Draw from this number of likeliest tokens.  [default: all]"
)
@click.option("--round-trip", is_flag=True, help="Forbid tokens that would not survive re-tokenising.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the draws.")
@click.option(
    "--batch-size",
    type=click.IntRange(1),
    default=8,
    show_default=True,
    help="Number of texts generated together.",
)
@click.option("--device", help="torch device of the model.  [default: cuda if there is one]")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False), metavar="OUT.jsonl", help="File to write records to."
)
@force_option
@click.option("--json", "as_json", is_flag=True, help="Print one record a line, one for each text.")
@click.pass_context
def generate(
    context: click.Context,
    profile: str,
    model: str,
    given: tuple[str, ...],
    prompts_file: str | None,
    message: str | None,
    chat: bool,
    system: str | None,
    key_file: str | None,
    tagger: str | None,
    max_new_tokens: int,
    min_new_tokens: int,
    temperature: float,
    top_p: float | None,
    top_k: int | None,
    round_trip: bool,
    seed: int,
    batch_size: int,
    device: str | None,
    output: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Generate text that carries the watermark of a profile.

    Only the generated part is printed, without the prompt.
    """
    require_prompts(given, prompts_file)
    if system is not None and not chat:
        raise StelaError("--system is a turn of a chat.", "add --chat, or write it into the prompt")
    if temperature == 0 and (top_p, top_k) != (None, None):
        raise StelaError(
            "at temperature 0 the likeliest token is taken: --top-p and --top-k change nothing.",
            "leave them out, or take a higher temperature",
        )
    target = None if output is None else Path(output)
    if target is not None:
        require_free(target, force)
    asked = asked_for(given, prompts_file, message)
    prompts = [prompt.text for prompt in asked]
    registry = registry_of(context)
    watermark = load(profile, key_from(key_file), registry, tagger, allow_lenient=True)  # no verdict here
    messages = messages_of(asked, watermark.parts.encoder)

    from stela_core.api import require_generation
    from stela_models.load import load_model

    require_generation()
    from stela_models.generation.generate import Sampling
    from stela_models.generation.generate import generate as run
    from stela_models.generation.unfound import Unfound
    from stela_models.prompts import chat_prompt

    language_model = load_model(registry, model, device)
    if chat:
        prompts = [chat_prompt(language_model.tokenizer, prompt, system) for prompt in prompts]
    least = min(min_new_tokens, max_new_tokens)
    sampling = Sampling(max_new_tokens, least, temperature, seed, top_p, top_k, round_trip)
    records: TextIO | None = None
    biases: list[float] = []
    unfound = Unfound(watermark, language_model)
    try:
        with progress("generating", len(prompts)) as advance:
            said = iter([None] * len(prompts) if messages is None else messages)
            for batch in run(watermark, language_model, prompts, sampling, batch_size, messages=messages):
                if records is None and target is not None:
                    # Not before: whatever does not fit is found with the first batch.
                    records = open_output(target, force)
                for text, carried in zip(batch, said, strict=False):
                    record = text.to_dict() | ({} if carried is None else {"message": carried})
                    biases.append(text.mean_bias)
                    if records is not None:
                        records.write(json.dumps(record, ensure_ascii=False) + "\n")
                    if as_json:
                        print_json(record)
                    elif records is None:
                        print_text(text.text)
                if records is not None:
                    records.flush()  # what is done survives an interruption
                unfound.add(batch)
                advance(len(batch))
    finally:
        if records is not None:
            records.close()
    if output is not None and not as_json:
        mean = sum(biases) / len(biases)
        strength = "" if watermark.parts.hasher.samples else f", mean bias {mean:.2f}"
        report(output, f"{output}: wrote {len(prompts)} text{'s' * (len(prompts) > 1)}{strength}")
    if round_trip and (steps := watermark.marker(round_trip=True, message=messages and messages[0]).gave_way):
        times = f"{steps} step{'s' * (steps > 1)}"
        say(
            f"at {times} no token came back from text: one was drawn that may be tokenised differently",
            err=True,
        )
    if (line := unfound.line()) is not None:
        say(line, err=True)
