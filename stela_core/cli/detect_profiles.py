"""What ``stela detect --profiles DIR`` tests for: the profiles of a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stela_core.cli.common import fail
from stela_core.cli.problems import Problems
from stela_core.errors import StelaError
from stela_core.loading_all import load_all
from stela_core.registry.components import Registry
from stela_core.watermarks import Watermarks

if TYPE_CHECKING:
    from stela_core.interfaces.logits import LanguageModel, Surrogate


def watermarks_of(
    folder: str,
    key_files: Sequence[str],
    registry: Registry,
    model: LanguageModel | Surrogate | None,
    allow_lenient: bool,
    scoring: Mapping[str, Any],
    problems: Problems,
    written: tuple[str, str] | None = None,
) -> Watermarks:
    """The marks of a folder's profiles; each that is left out is reported in one line, with the reason.

    Raises:
        StelaError: as for :func:`stela_core.load_all`.
    """
    watermarks = load_all(folder, key_files, registry, model, allow_lenient, scoring, problems.note, written)
    for name, reason in watermarks.left_out:
        problems.count_one()
        fail(f"{name} is left out: {reason.message}", reason.hint)
    for name in watermarks.names:
        for key_id in watermarks[name].keyed.keys.missing:
            problems.note(f"the key {key_id} of {name} was not given: texts are not tested for it")
    for name, other in watermarks.same.items():
        problems.note(f"{name} is the mark of {other} under another name: it is tested once")
    return watermarks


def require_goes_with_profiles(tagger: str | None) -> None:
    """Refuse what says something of one profile.

    Raises:
        StelaError: ``--tagger`` was given.
    """
    if tagger is not None:
        raise StelaError(
            "--tagger names the tagger of one profile, and --profiles tests many.",
            "test the profile that needs it by itself, with --profile",
        )
