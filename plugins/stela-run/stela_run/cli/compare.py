"""``stela compare``: a comparison in one line, by the experiment file that it stands for."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import click
from stela_cli.common import registry_of
from stela_cli.printing import say as say_on

from stela_core import Registry, StelaError, Tagger, create_registry
from stela_core.api import write_atomically
from stela_run.attack import Attack
from stela_run.cli.run import run
from stela_run.cost.knob import knob_of
from stela_run.metric import Metric
from stela_run.plan.estimate import EXPECTED, Estimate
from stela_run.plan.schema import COSTS, UNTIL_DECIDED, SchemeEntry

AIMS = {name.replace("_", "-"): name for name in ("mean_bias", *COSTS)}
"""What ``--at`` may set equal, and its name in experiment files."""

COST = "fidelity-cost"
"""The metric that measures what came out of a cost that is set equal."""


@click.command(
    "compare",
    epilog="\b\nExample:\n  stela compare kgw stela --language en --model tiny --texts 8 --length 50",
)
@click.argument("schemes", nargs=-1, required=True, metavar="SCHEME ...")
@click.option("--language", "languages", default="en", show_default=True, help="Codes, with commas.")
@click.option("--model", required=True, metavar="M", help="Model that writes the texts.")
@click.option(
    "--at",
    "strength",
    default="mean-bias=1",
    show_default=True,
    metavar="|".join(f"{name}=X" for name in AIMS),
    help="Equal strength: nats that green logits gain, or what the mark costs (docs/metrics.md).",
)
@click.option(
    "--estimate",
    type=click.Choice(get_args(Estimate)),
    default="generated",
    show_default=True,
    help="z of texts that are marked, or expected over keys: green lists, few texts.",
)
@click.option(
    "--attack", "attacks", multiple=True, metavar="NAME[=X]", help="Test after it, too. May be repeated."
)
@click.option("--texts", default=50, show_default=True, type=click.IntRange(2), help="Texts of a language.")
@click.option("--until-decided", is_flag=True, help="No more texts of what is decided; --texts at most.")
@click.option("--length", default=100, show_default=True, type=click.IntRange(1), help="Tokens of a text.")
@click.option("--data", metavar="DIR", help="Folder with prompts and human texts.")
@click.option(
    "-o",
    "--output",
    default="runs/compare",
    show_default=True,
    metavar="DIR",
    help="Folder to write to, new or empty.",
)
@click.pass_context
def compare(
    context: click.Context,
    schemes: tuple[str, ...],
    languages: str,
    model: str,
    strength: str,
    estimate: str,
    attacks: tuple[str, ...],
    texts: int,
    until_decided: bool,
    length: int,
    data: str | None,
    output: str,
) -> int | None:
    """Say which of some schemes finds more at equal strength, or how many texts would tell.

    FILE.py:NAME takes a scheme from a file of yours, whose code runs. The experiment that this line stands
    for is written next to the results, as a file for stela run.
    """
    from stela_run.report.toml import to_toml

    folder = Path(output)
    file = folder.with_name(f"{folder.name}.toml")
    for taken in (folder, file):
        if taken.exists() and not (taken.is_dir() and not any(taken.iterdir())):
            raise StelaError(f'"{taken}" is there already.', "choose another -o")
    files, names = _split(schemes)
    if files:
        context.obj = create_registry(files)
    registry = registry_of(context)
    aim = _strength(strength)
    content: dict[str, Any] = {
        "title": f"{', '.join(names)}: which finds more?",
        "models": [model],
        **({"texts": UNTIL_DECIDED, "at_most": texts} if until_decided else {"texts": texts}),
        **({"estimate": estimate} if estimate == EXPECTED else {}),
        "lengths": [length],
        "attacks": ["none", *(_attack(registry, attack) for attack in attacks)],
        "languages": {code: {"tagger": _tagger(registry, code)} for code in languages.split(",")},
        "schemes": [_entry(registry, name, aim) for name in names],
    }
    if aim[0] in COSTS and registry.has(Metric, COST) and estimate != EXPECTED:
        usual = [name for name in registry.names(Metric) if registry.get(Metric, name).by_default]
        content["metrics"] = [*usual, COST]
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StelaError(f'cannot write "{file}": {error.strerror}.', "choose another -o") from None
    write_atomically(file, to_toml(content).encode("utf-8", "replace"))
    local = "".join(f" --plugin {one}" for one in files)
    say_on(f"{file}: the same by stela{local} run {file} -o {folder}", err=True)
    try:
        status: int | None = context.invoke(run, experiment_file=str(file), output=output, data=data)
    except StelaError:
        # Refused before any work: the same line, put right, should find nothing in its way.
        if not folder.is_dir() or not any(folder.iterdir()):
            file.unlink(missing_ok=True)
        raise
    return status


def _split(schemes: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Plugin files, each once, and the names of all schemes."""
    files, names = [], []
    for scheme in schemes:
        file, colon, name = scheme.rpartition(":")
        if colon and file.endswith(".py"):
            files.append(file)
            scheme = name
        names.append(scheme)
    return list(dict.fromkeys(files)), names


def _strength(text: str) -> tuple[str, float]:
    """What a pilot sets, by its name in experiment files, and to what."""
    name, _, value = text.partition("=")
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if name not in AIMS or not 0 < number < float("inf"):
        raise StelaError(f'--at "{text}" is not a strength.', "--at mean-bias=1, or --at surprisal=0.1")
    return AIMS[name], number


def _entry(registry: Registry, name: str, aim: tuple[str, float]) -> dict[str, Any]:
    """Entry with the strength where a pilot can set it; the answer says where schemes then differ."""
    entry = {"name": name, aim[0]: aim[1]}
    try:
        knob_of(registry, SchemeEntry.model_validate(entry))
    except StelaError as error:
        say_on(f"note: {error.message[:-1]}, and it runs as it is", err=True)
        return {"name": name}
    return entry


def _attack(registry: Registry, text: str) -> dict[str, Any]:
    """The value is that of the attack's first parameter."""
    name, equals, value = text.partition("=")
    fields = list(registry.get(Attack, name).Parameters.model_fields)
    if not equals:
        return {"name": name}
    if not fields:
        raise StelaError(f'attack "{name}" takes no value.', f"--attack {name}")
    try:
        return {"name": name, fields[0]: float(value)}
    except ValueError:
        return {"name": name, fields[0]: value}


def _tagger(registry: Registry, code: str) -> str:
    """The default tagger of a language."""
    for name in registry.names(Tagger):
        defaults = registry.get(Tagger, name).default_for
        if code in defaults:
            model = defaults[code]
            return name if model is None else f"{name}:{model}"
    raise StelaError(
        f'no installed tagger is the default of language "{code}".', "stela plugins lists taggers"
    )
