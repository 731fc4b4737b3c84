"""What ``stela detect`` was given besides texts: keys, profiles of a folder, the language model, prompts."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stela_cli.candidate_files import read_candidates
from stela_cli.common import key_from
from stela_cli.documents.json_lines import value_of
from stela_cli.documents.reader import Text
from stela_cli.documents.stream import HINT, bounded_lines, numbered, opened
from stela_cli.printing import fail, say
from stela_cli.problems import Problems
from stela_core import (
    Registry,
    StelaError,
    Surrogate,
    Watermark,
    Watermarks,
    load_all,
    load_model,
    require_well_formed,
)
from stela_core.api import Key, read_keys, require_generation

if TYPE_CHECKING:
    from stela_detection.search.candidates import Candidate

    from stela_core.api import LanguageModel


def keys_from(key_files: Sequence[str], problems: Problems) -> Key | list[Key] | None:
    """The key of one profile; several, of files and folders of them, for one that has several."""
    if not key_files:
        return None
    if len(key_files) == 1 and not Path(key_files[0]).is_dir():
        return key_from(key_files[0])
    return [named.key for named in read_keys(key_files, problems.note)]


def candidates_from(
    files: Sequence[str], key_files: Sequence[str], problems: Problems
) -> tuple[Candidate, ...] | None:
    """The candidate keys of a file, for one profile; ``None`` where none is named.

    Raises:
        StelaError: as for :func:`.read_candidates`, or several files or key files, too, were given.
    """
    if not files:
        return None
    if len(files) > 1:
        raise StelaError("one profile takes one file of --keys.", "put the keys in one file")
    if key_files:
        raise StelaError(
            "--keys tests candidates in place of the profile's keys, which --key-file gives.",
            "add the profile's key to the candidates, or leave one option out",
        )
    return tuple(read_candidates(files[0], problems.note))


def key_sets_from(files: Sequence[str], problems: Problems) -> dict[str, tuple[Candidate, ...]]:
    """The candidate keys of files NAME.jsonl, and of those in folders, by the names of their profiles.

    Raises:
        StelaError: as for :func:`.read_candidates`, a folder holds no such file, or two are of one profile.
    """
    sets: dict[str, tuple[Candidate, ...]] = {}
    for path in map(Path, files):
        inside = [path]
        if path.is_dir():
            inside = sorted(file for file in path.glob("*.jsonl") if not file.name.startswith("."))
        if not inside:
            raise StelaError(f'the folder "{path}" holds no file of keys.', "NAME.jsonl is for NAME.stela")
        for file in inside:
            if file.stem in sets:
                raise StelaError(f"two files of keys are for {file.stem}.stela.", "put the keys in one file")
            sets[file.stem] = tuple(read_candidates(file, problems.note))
    return sets


def watermarks_of(
    folder: str,
    key_files: Sequence[str],
    registry: Registry,
    model: LanguageModel | Surrogate | None,
    allow_lenient: bool,
    scoring: Mapping[str, Any],
    problems: Problems,
    written: tuple[str, str] | None = None,
    key_sets: Mapping[str, Sequence[Candidate]] | None = None,
) -> Watermarks:
    """The marks of a folder's profiles; each that is left out is reported in one line, with the reason.

    Raises:
        StelaError: as for :func:`stela_core.load_all`.
    """
    watermarks = load_all(
        folder, key_files, registry, model, allow_lenient, scoring, problems.note, written, key_sets
    )
    for name, reason in watermarks.left_out:
        problems.count_one()
        fail(f"{name} is left out: {reason.message}", reason.hint)
    for name in watermarks.names:
        for key_id in watermarks[name].keys.missing:
            problems.note(f"the key {key_id} of {name} was not given: texts are not tested for it")
    for name, other in watermarks.same.items():
        problems.note(f"{name} is the mark of {other} under another name: it is tested once")
    return watermarks


def require_goes_with_profiles(tagger: str | None, messages: str | None) -> None:
    """Refuse what says something of one profile.

    Raises:
        StelaError: ``--tagger`` or ``--messages`` was given.
    """
    for option, value in (("--tagger", tagger), ("--messages", messages)):
        if value is not None:
            raise StelaError(
                f"{option} is for one profile, and --profiles tests several.",
                "test that profile with --profile",
            )


def model_of(
    registry: Registry, model: str | None, surrogate: str | None, device: str | None
) -> LanguageModel | Surrogate | None:
    """The model that was named, as itself or as a surrogate.

    Raises:
        StelaError: both are named, or it cannot be loaded.
    """
    if model is not None and surrogate is not None:
        raise StelaError("--model and --surrogate exclude each other.", "give the one that weighs the tokens")
    name = model or surrogate
    if name is None:
        return None
    require_generation("running the language model")
    loaded = load_model(name, device, registry)
    return loaded if surrogate is None else Surrogate(*loaded)


def detection_model(
    watermark: Watermark, registry: Registry, model: str | None, surrogate: str | None, device: str | None
) -> LanguageModel | Surrogate | None:
    """The model, or ``None`` where the scheme detects without one.

    Raises:
        StelaError: the scheme needs one and none is named, or it cannot be loaded.
    """
    scheme = watermark.profile.scheme.name
    if not watermark.needs_model_to_detect:
        if model or surrogate:
            say(
                f"note: scheme {scheme} detects without a model; {model or surrogate} is not loaded", err=True
            )
        return None
    if not (model or surrogate):
        watermark.logits_of(None)  # says what to give
    return model_of(registry, model, surrogate, device)


def prompts_of(file: str | None, texts: int) -> list[str] | None:
    """One prompt for each text, from a ``.jsonl`` such as ``stela generate`` writes.

    Raises:
        StelaError: the file cannot be read, or holds another number of prompts.
    """
    if file is None:
        return None
    prompts = [prompt for _, prompt in read_jsonl(file, ("prompt", "text"))]
    if len(prompts) != texts:
        raise StelaError(
            f"{file} has {len(prompts)} prompts for {texts} texts.",
            "give one line for each text, in the same order",
        )
    return prompts


def read_jsonl(file: str, fields: tuple[str, ...]) -> list[tuple[int, str]]:
    """(line number, value) of the first of ``fields`` that each line's object has; ``-`` is standard input.

    Raises:
        StelaError: naming file and line.
    """
    return [(number, text) for number, text, _ in read_records(file, fields)]


def read_records(file: str, fields: tuple[str, ...]) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """(line number, value, object) of the first of ``fields`` that each line's object has.

    Raises:
        StelaError: naming file and line.
    """
    wanted = " or ".join(f'"{field}"' for field in fields)
    empty = True
    with opened(file) as stream:
        for number, line in numbered(bounded_lines(io.BufferedReader(stream), file)):
            if not line.strip():
                continue
            where = f"{file}:{number}"
            record = value_of(line, where, HINT)
            values = [record[f] for f in fields if f in record] if isinstance(record, dict) else []
            if not values or not isinstance(values[0], str):
                raise StelaError(
                    f"{where} has no {wanted}.", f"each line is a JSON object with a string {wanted}"
                )
            if not values[0]:
                raise StelaError(f"{where} has an empty {wanted}.", "take the line out")
            require_well_formed([values[0]], where)
            empty = False
            yield number, values[0], record
    if empty:
        raise StelaError(f"{file} is empty.", HINT)


def all_of(items: Iterable[Text | StelaError]) -> list[Text]:
    """All texts, for prompts that go with them one by one.

    Raises:
        StelaError: one cannot be tested: which prompt is its own is then not known.
    """
    texts = []
    for item in items:
        if isinstance(item, StelaError):
            raise item
        texts.append(item)
    return texts
