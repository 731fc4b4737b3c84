"""``stela profile import``: a profile from another toolkit's configuration."""

from __future__ import annotations

from pathlib import Path

import click

from stela_core.cli.common import registry_of
from stela_core.errors import StelaError
from stela_core.generation.load import load_tokenizer
from stela_core.generation.vocabulary import config_vocab_size
from stela_core.interfaces import Hasher
from stela_core.numeric.keys import key_id
from stela_core.profile.archive import write_archive
from stela_core.profile.create import Settings, create_profile
from stela_core.profile.device import require_reproducible
from stela_core.profile.foreign import (
    Foreign,
    LmWatermarkingConfig,
    MarkLlmConfig,
    TransformersConfig,
    read_config,
)

SCHEME = "uniform"
"""A static bias, every token counted alike, as in all of them; it comes with the core."""


@click.command("import")
@click.option("--transformers", metavar="FILE", help="WatermarkingConfig, or a generation_config.json.")
@click.option("--lm-watermarking", metavar="FILE", help="Arguments of its processor: gamma, delta, ...")
@click.option("--markllm", metavar="FILE", help="MarkLLM's KGW.json.")
@click.option("--model", required=True, help="Alias, folder or Hugging Face name; gives the tokenizer.")
@click.option("--device", default="cpu", show_default=True, help="Where text was marked; cpu alone works.")
@click.option("--vocab-size", type=int, help="Of the toolkit. [transformers: the model's; others: tokenizer]")
@click.option("--secret-key", is_flag=True, help="Leave the key out; it is then given in STELA_KEY.")
@click.option("--language", help="ISO 639-1 code.")
@click.option("--min-tokens", type=int, help='Fewer distinct pairs are "insufficient text". [16]')
@click.option("--alpha", type=float, help="Largest p-value called watermarked. [z_threshold's, or 0.001]")
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False), metavar="P.stela")
@click.pass_context
def profile_import(
    context: click.Context,
    transformers: str | None,
    lm_watermarking: str | None,
    markllm: str | None,
    model: str,
    device: str,
    vocab_size: int | None,
    secret_key: bool,
    language: str | None,
    min_tokens: int | None,
    alpha: float | None,
    output: str,
) -> None:
    """Write a profile that finds, and makes, the marks of another toolkit."""
    require_reproducible(device)
    registry = registry_of(context)
    foreign = read_one(transformers, lm_watermarking, markllm)
    if not registry.has(Hasher, foreign.hasher):
        raise StelaError(f'hasher "{foreign.hasher}" is not installed.', "pip install stela-interop")
    tokenizer = load_tokenizer(registry, model)
    if vocab_size is None:
        by_tokenizer = foreign.vocabulary == "tokenizer"
        vocab_size = tokenizer.get_vocab_size() if by_tokenizer else config_vocab_size(registry, model)
    settings = Settings(
        SCHEME,
        {"delta": foreign.delta},
        gamma=foreign.gamma,
        context_width=foreign.context_width,
        language=language,
        min_tokens=min_tokens,
        alpha=foreign.alpha if alpha is None else alpha,
        hasher=foreign.hasher,
        hasher_parameters={**foreign.parameters, "vocab_size": vocab_size},
        device=device,
    )
    created = create_profile(registry, settings, tokenizer, foreign.key, not secret_key)
    write_archive(output, created.archive)
    for remark in (*foreign.remarks, *created.remarks):
        click.echo(f"note: {remark}", err=True)
    kind = "secret" if secret_key else "public"
    click.echo(f"{output}: hasher {foreign.hasher}, key id {key_id(foreign.key)} ({kind})")


def read_one(transformers: str | None, lm_watermarking: str | None, markllm: str | None) -> Foreign:
    """What the one file says that was named.

    Raises:
        StelaError: none or several were named, or the file is wrong.
    """
    if sum(file is not None for file in (transformers, lm_watermarking, markllm)) != 1:
        raise StelaError(
            "give one configuration to import.", "--transformers, --lm-watermarking or --markllm FILE"
        )
    if transformers is not None:
        return read_config(Path(transformers), TransformersConfig).foreign()
    if lm_watermarking is not None:
        return read_config(Path(lm_watermarking), LmWatermarkingConfig).foreign()
    assert markllm is not None
    return read_config(Path(markllm), MarkLlmConfig).foreign()
