"""The experiment files of this distribution, and copies of them as a run is asked for."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from pathlib import Path

from stela_core import StelaError
from stela_core.api import did_you_mean
from stela_paper.results.reading import Run

FOLDER = Path(__file__).with_name("experiments")

READER = 'name = "quality-perplexity", model = "tiny-small"'
"""How the files ask for perplexity."""


def require_known(names: Iterable[str]) -> None:
    """Refuse a name that no file has.

    Raises:
        StelaError: there is one.
    """
    known = {file.stem for file in FOLDER.glob("*.toml")}
    for name in names:
        if name not in known:
            raise StelaError(f'no experiment is called "{name}".', did_you_mean(name, known))


def require_whole(runs: Iterable[Run]) -> None:
    """Refuse runs with fewer prompts than their experiment's file asks for.

    Raises:
        StelaError: there is one.
    """
    files = [tomllib.loads(file.read_text("utf-8")) for file in FOLDER.glob("*.toml")]
    asked = {of.get("title"): of for of in files}
    for run in runs:
        texts, title = run.experiment["texts"], run.experiment.get("title")
        if title in asked and texts < asked[title]["texts"]:
            raise StelaError(
                f"{run.folder} has {texts} prompts; its experiment has {asked[title]['texts']}.",
                "--print shows its tables; --force writes them into the page",
            )


def copy_of(name: str, folder: Path, reader: str | None = None) -> Path:
    """A file's copy in a folder, next to which its tables lie.

    Args:
        name: of the experiment.
        folder: made if it is not there.
        reader: a model's name or folder, under which perplexity is measured in place of the file's.
    """
    content = (FOLDER / f"{name}.toml").read_text("utf-8")
    if reader is not None:
        content = content.replace(READER, f'name = "quality-perplexity", model = {json.dumps(reader)}')
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / f"{name}.toml"
    copy.write_text(content, "utf-8")
    return copy
