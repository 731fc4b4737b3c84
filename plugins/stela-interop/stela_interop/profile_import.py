"""``stela profile import``: a profile from another toolkit's configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import click
from stela_cli.common import allow_lenient_option, force_option, key_from, registry_of
from stela_cli.group import sectioned
from stela_cli.printing import report, say
from stela_models.tokenizer import load_tokenizer

import stela_core as stela
from stela_core.api import Settings, number_of, require_free, write_key_file
from stela_interop.foreign import Foreign, SettingsError, read_lm_watermarking
from stela_interop.foreign_engines import read_sglang, read_vllm
from stela_interop.foreign_markllm import read_markllm
from stela_interop.foreign_sbw import read_sbw
from stela_interop.foreign_synthid import read_transformers
from stela_interop.foreign_textseal import read_textseal
from stela_interop.import_size import toolkit_size


def add_to(cli: click.Group) -> None:
    """Add the command to those of ``stela profile``."""
    profiles = cli.commands["profile"]
    assert isinstance(profiles, click.Group)
    profiles.add_command(profile_import)


SECTIONS = {
    "Toolkit": "--transformers --lm-watermarking --markllm --sbw --textseal --vllm --sglang",
    "Model": "--model --device --vocab-size --language",
    "Key": "--public-key --key-file --secret-key",
    "Detection": "--alpha --min-tokens --allow-lenient",
    "Results": "--output --force",
}


@click.command(
    "import",
    cls=sectioned(SECTIONS),
    epilog="\b\nExample:\n  stela profile import --transformers w.json --model tiny --public-key -o p.stela",
)
@click.option(
    "--transformers",
    metavar="FILE",
    help="File of a WatermarkingConfig, a SynthIDTextWatermarkingConfig or a generation_config.json.",
)
@click.option(
    "--lm-watermarking", metavar="FILE", help="Arguments of the logits processor of lm-watermarking, as JSON."
)
@click.option(
    "--markllm",
    metavar="FILE",
    help="Configuration of MarkLLM: KGW.json, SWEET.json, EWD.json, MorphMark.json or SynthID.json.",
)
@click.option("--sbw", metavar="FILE|JSON", help="Arguments of the detector of the package sbw.")
@click.option("--textseal", metavar="FILE|JSON", help="WatermarkConfig of TextSeal.")
@click.option("--vllm", metavar="FILE|JSON", help="Value of vLLM's --watermark-config.")
@click.option("--sglang", metavar="FILE|JSON", help="Value of SGLang's --watermark-config.")
@click.option(
    "--model", required=True, help="Model that gives the tokenizer: alias, folder or Hugging Face name."
)
@click.option(
    "--device", default="cpu", show_default=True, help="Device on which text was marked. Only cpu works."
)
@click.option(
    "--vocab-size",
    type=int,
    help="Vocabulary size of the toolkit.  [default: of the model (transformers) or tokenizer (others)]",
)
@click.option("--public-key", is_flag=True, help="Write the configuration's key into the profile.")
@click.option(
    "--key-file",
    metavar="FILE",
    help="Keep the key in this file, which is written if it does not exist, and out of the profile.",
)
@click.option("--secret-key", is_flag=True, help="Leave the key out of the profile, and write it to no file.")
@click.option("--language", help="Language of the texts, as an ISO 639-1 code.")
@click.option(
    "--min-tokens",
    type=int,
    help='Smallest number of distinct pairs; fewer are "insufficient text".  [default: 8]',
)
@click.option(
    "--alpha",
    type=float,
    help="Largest p-value that is called watermarked.  [default: of z_threshold, or 0.001]",
)
@allow_lenient_option
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False),
    metavar="P.stela",
    help="Profile to write.",
)
@force_option
@click.pass_context
def profile_import(
    context: click.Context,
    transformers: str | None,
    lm_watermarking: str | None,
    markllm: str | None,
    sbw: str | None,
    textseal: str | None,
    vllm: str | None,
    sglang: str | None,
    model: str,
    device: str,
    vocab_size: int | None,
    public_key: bool,
    key_file: str | None,
    secret_key: bool,
    language: str | None,
    min_tokens: int | None,
    alpha: float | None,
    allow_lenient: bool,
    output: str,
    force: bool,
) -> None:
    """Write a profile that finds and makes the marks of another toolkit.

    Whoever wrote the configuration chose its key. Verdicts carry a caveat that says so, until you run stela
    profile trust.
    """
    require_free(Path(output), force)
    if public_key + secret_key + (key_file is not None) != 1:
        raise stela.StelaError(
            "give either --key-file FILE or --public-key.",
            "the configuration holds its key: --public-key publishes it, --key-file FILE keeps it out",
        )
    registry = registry_of(context)
    foreign = read_one(
        {
            "--transformers": transformers,
            "--lm-watermarking": lm_watermarking,
            "--markllm": markllm,
            "--sbw": sbw,
            "--textseal": textseal,
            "--vllm": vllm,
            "--sglang": sglang,
        }
    )
    tokenizer = load_tokenizer(registry, model)
    sizes: list[str] = []
    own: dict[str, int] = {}
    if foreign.vocabulary is not None:
        if vocab_size is None:
            vocab_size, sizes = toolkit_size(registry, model, tokenizer, foreign.vocabulary == "tokenizer")
        own["vocab_size"] = vocab_size
    settings = Settings(
        foreign.scheme,
        dict(foreign.values),
        gamma=foreign.gamma,
        context_width=foreign.context_width,
        language=language,
        min_tokens=min_tokens,
        alpha=foreign.alpha if alpha is None else alpha,
        hasher=foreign.hasher,
        hasher_parameters={**foreign.parameters, **own},
        device=device,
        allow_lenient=allow_lenient,
    )
    created = settings.create(registry, tokenizer, foreign.key, public_key, named=False)
    if key_file is not None:
        keep_key(key_file, foreign.key, foreign.words)
    created.archive.write(output, replace=force)
    for remark in (*foreign.remarks, *sizes, *created.remarks):
        say(f"note: {remark}", err=True)
    say(
        f"note: the key is the configuration's: verdicts carry a caveat until stela profile trust {output}",
        err=True,
    )
    if public_key:
        key_id = created.archive.profile.hasher.key_id
        report(output, f"{output}: hasher {foreign.hasher}, key id {key_id} (public)")
        return
    say("note: the profile says nothing of the key: a wrong one finds no mark and is not noticed", err=True)
    report(output, f"{output}: hasher {foreign.hasher}, key without id (secret)")


def keep_key(file: str, key: int, words: int = 1) -> None:
    """Make sure that a key file holds the configuration's key of ``words`` words; write a missing one.

    Raises:
        stela.StelaError: it holds another one.
    """
    if not Path(file).exists():
        write_key_file(file, key, words)
        return
    held = key_from(file)
    if words > 1 and held is not None and not isinstance(held, int):
        held = number_of(held, None, words)  # digits of several words are text until their number is known
    if held != key:
        raise stela.StelaError(
            f'the key file "{file}" holds another key than the configuration.',
            f"name a new file, or the one that holds this key as {16 * words} hex digits",
        )


READERS: dict[str, Callable[[str], Foreign]] = {
    "--transformers": lambda given: read_transformers(Path(given)),
    "--lm-watermarking": lambda given: read_lm_watermarking(Path(given)),
    "--markllm": lambda given: read_markllm(Path(given)),
    "--sbw": read_sbw,
    "--textseal": read_textseal,
    "--vllm": read_vllm,
    "--sglang": read_sglang,
}
"""What reads each option's value."""


def read_one(given: Mapping[str, str | None]) -> Foreign:
    """What the one configuration says that was given, by option.

    Raises:
        stela.StelaError: none or several were given, or it is wrong.
    """
    named = {option: value for option, value in given.items() if value is not None}
    if len(named) != 1:
        raise stela.StelaError(
            "give one configuration to import.",
            f"{', '.join(list(READERS)[:-1])} or {list(READERS)[-1]} FILE",
        )
    [(option, value)] = named.items()
    try:
        return READERS[option](value)
    except SettingsError as error:
        for mistake in error.mistakes[:-1]:
            say(f"error: {mistake}", err=True)
        raise error.mistakes[-1] from None
