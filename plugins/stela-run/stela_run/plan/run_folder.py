"""The folder of a run, by the plan that lies in it: whether a run may begin there, or go on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from stela_core import StelaError
from stela_core.api import Limits, parse_json, read_bounded, write_atomically
from stela_run.plan.plan import Plan

PLAN = "experiment.json"
LARGEST = 16 << 20


def begin_folder(folder: Path, plan: Plan, resume: bool) -> None:
    """Make a folder for a run, or with ``resume`` go on with one that holds part of this very run.

    Raises:
        StelaError: the folder holds something else, or cannot be written.
    """
    known = require_usable(folder, plan, resume)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StelaError(f'cannot write "{folder}": {error.strerror}.', "choose another -o") from None
    if not known:
        content = {
            "digest": plan.digest,
            "experiment": plan.experiment.model_dump(mode="json"),
            "sample": plan.sample,
        }
        write_atomically(folder / PLAN, json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n")


def require_usable(folder: Path, plan: Plan, resume: bool) -> bool:
    """Find out whether a folder may hold this run; whether it holds part of it already.

    Raises:
        StelaError: it holds something else, or a run that is not to be gone on with.
    """
    if not (folder / PLAN).exists() and (folder.is_dir() or not folder.exists()):
        if folder.exists() and any(folder.iterdir()):
            raise StelaError(f'folder "{folder}" is not empty.', "give another -o")
        return False
    known = read_plan(folder)
    if not resume:
        raise StelaError(
            f'folder "{folder}" holds a run already.', "continue it (--resume), or give another -o"
        )
    if known["digest"] != plan.digest:
        raise StelaError(
            f'folder "{folder}" holds another experiment: {_difference(known["experiment"], plan)}.',
            "give another -o, or the experiment file that it was started with",
        )
    return True


def read_plan(folder: Path) -> dict[str, Any]:
    """What ``experiment.json`` of a run says.

    Raises:
        StelaError: it is missing or corrupt.
    """
    path = folder / PLAN
    what = f'"{path}"'
    data = read_bounded(path, LARGEST, what, "give another -o")
    content = parse_json(data, what, "give another -o", limits=Limits(string=LARGEST))
    if not (
        isinstance(content, dict)
        and isinstance(content.get("digest"), str)
        and isinstance(content.get("experiment"), dict)
    ):
        raise StelaError(f"{what} is corrupt: it names no experiment.", "give another -o")
    return content


def _difference(before: dict[str, Any], plan: Plan) -> str:
    now = plan.experiment.model_dump(mode="json")
    keys = [key for key in now if key not in ("executor", "data") and before.get(key) != now[key]]
    return f"it differs in {', '.join(keys)}" if keys else "its prompts or human texts differ"
