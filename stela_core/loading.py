"""``stela.load`` and ``load_all``: profiles as Watermarks; of a folder, what cannot be opened is left out."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from stela_core.catalogue import lent
from stela_core.errors import StelaError, contained
from stela_core.files.bounded import MEBIBYTE
from stela_core.hashing.key_file import Key
from stela_core.interfaces import Tagger
from stela_core.logs import timed
from stela_core.profile.archive import Archive
from stela_core.profile.epochs import Dated, Written
from stela_core.profile.key import KeyRing, NamedKey, read_keys, warn
from stela_core.profile.parts import LoadOptions, ParsedFiles, open_archive
from stela_core.profile.provenance import require_strict, trusted
from stela_core.profile.schema import Profile
from stela_core.registry.components import Registry, default_registry
from stela_core.text.pos_contexts import CausalContexts
from stela_core.watermark import Watermark
from stela_core.watermarks import MOST, LeftOut, Watermarks

if TYPE_CHECKING:
    from stela_core.interfaces.logits import LanguageModel
    from stela_core.watermark import ModelAndTokenizer

log = logging.getLogger(__name__)


IN_USE: WeakValueDictionary[tuple[int, str], Watermark] = WeakValueDictionary()
"""Watermarks in use, by registry and profile: one loaded again shares their tokenizer and tagger."""


@contained
def load(
    path: str | Path,
    key: Key | Sequence[Key] | None = None,
    registry: Registry | None = None,
    tagger: str | Tagger | None = None,
    allow_lenient: bool = False,
    scoring: Mapping[str, Any] | None = None,
    written: tuple[str | date, str | date] | None = None,
    candidates: Sequence[Dated] | None = None,
) -> Watermark:
    """Load a profile.

    Args:
        path: a ``.stela`` file.
        key: the key of a secret-key profile: 16 hex digits, an integer, or the ``Path`` of a key file,
            which may hold a passphrase; by default the environment variable ``STELA_KEY``. Of a profile with
            several keys: a list of them, or the ``Path`` of a folder of key files.
        registry: the plugins to use; by default the installed ones.
        tagger: the profile's tagger where its model is a folder of yours, as ``NAME:FOLDER``, or a tagger
            that is loaded already. A profile by itself loads only models whose names are known.
        allow_lenient: take somebody else's profile with alpha above 0.05 or min_tokens below 8.
        scoring: parameters of the scorer in place of the profile's, such as ``{"repeats": "fourth-root",
            "ties": "split"}`` for a profile made before there were these (docs/statistics.md). Say it before
            you see a text's p-value: the smaller of two is not a p-value.
        written: first and last day (UTC), as ``"2026-11-22"``, between which the texts were written, as you
            know from elsewhere. Of a profile whose keys have epochs, only those of these days are tested, and
            p-values are times their number. Say it before you see a p-value, too.
        candidates: keys to test for in place of the profile's own, such as ``stela_cli.candidate_files``
            reads. p-values are times their number, and ``key_id`` names the likeliest.

    Raises:
        StelaError: the profile is corrupt, a plugin is missing, or the tokenizer, table, tagger or
            key is not the profile's; or its verdicts would say next to nothing (``allow_lenient``).
    """
    with timed(log, "profile %s loaded", path):
        archive = Archive.read(path)
        span = None if written is None else Written.between(*written)
        registry = registry or default_registry()
        options = LoadOptions(registry, key, tagger, allow_lenient, scoring, span, candidates)
        shared, which = _Shared(), (id(registry), archive.profile.digest)
        if tagger is None and (same := IN_USE.get(which)) is not None:
            shared.take(same)
        watermark = _opened(archive, path, options, shared)
        if tagger is None:
            IN_USE[which] = watermark
        return watermark


def load_model(name: str, device: str | None = None, registry: Registry | None = None) -> LanguageModel:
    """Load a causal language model: ``model, tokenizer = stela.load_model("tiny")``.

    torch and transformers are imported here, not before.

    Args:
        name: an alias that a plugin registers (``tiny``), a folder of ``save_pretrained``, or a Hugging
            Face name.
        device: torch device; by default ``cuda`` where there is one.
        registry: the plugins to use; by default the installed ones.

    Returns:
        (model, tokenizer): float32 on the CPU, as saved on a GPU; the tokenizer pads on the left.

    Raises:
        StelaError: there is no such model or device, or torch or transformers is missing.
    """
    load = lent("load_model", "loading a language model")
    model: LanguageModel = load(registry or default_registry(), name, device)
    return model


TOKENIZERS = 256 * MEBIBYTE
"""Bytes of all different tokenizers and tables: each is held in memory, several times as large."""

Keys = str | Path | NamedKey


def load_all(
    folder: str | Path,
    keys: Iterable[Keys] = (),
    registry: Registry | None = None,
    model: ModelAndTokenizer | None = None,
    allow_lenient: bool = False,
    scoring: Mapping[str, Any] | None = None,
    note: Callable[[str], None] = warn,
    written: tuple[str | date, str | date] | None = None,
    candidates: Mapping[str, Sequence[Dated]] | None = None,
) -> Watermarks:
    """Load the profiles of a folder, to test texts for all of their marks.

    A profile that cannot be opened (damaged, a plugin is missing, its key was not given, its evidence needs a
    model) is in ``left_out`` of the result with the reason, and counts in nothing.

    Args:
        folder: its ``.stela`` files are read, in the order of their names; hidden ones, links and folders in
            it are not.
        keys: key files and folders of them. A key goes to the profiles whose key id it has; a profile without
            id gets the key whose file has its name, or the only one.
        registry: the plugins to use; by default the installed ones.
        model: the language model and its tokenizer, for profiles that weigh evidence by it.
        allow_lenient: see :func:`stela_core.load`.
        scoring: see :func:`stela_core.load`.
        note: is told of key files that others may read, and of those that hold none; by default a warning.
        written: see :func:`stela_core.load`. A profile none of whose keys is of these days is left out.
        candidates: by the names of profiles (without ``.stela``), as for :func:`stela_core.load`.

    Raises:
        StelaError: the folder or a key file cannot be read, it holds no profile, or too many, or none of them
            can be tested (the message has the first reason).
    """
    files = _profiles_in(Path(folder))
    registry = registry or default_registry()
    named = [key for key in keys if isinstance(key, NamedKey)]
    ring = KeyRing([*named, *read_keys([key for key in keys if not isinstance(key, NamedKey)], note)])
    span = None if written is None else Written.between(*written)
    for name in set(candidates or ()) - {file.stem for file in files}:
        raise StelaError(
            f'no profile is called "{name}", as candidate keys are.', f"add {name}.stela, or rename them"
        )
    options = LoadOptions(registry, ring, None, allow_lenient, scoring, span)
    shared = _Shared(TOKENIZERS)
    watermarks: dict[str, Watermark] = {}
    left_out: list[LeftOut] = []
    for file in files:
        try:
            with timed(log, "profile %s loaded", file.name):
                own = replace(options, name=file.stem, candidates=(candidates or {}).get(file.stem))
                watermarks[file.name] = _to_test(file, own, shared, model)
        except StelaError as error:
            left_out.append(LeftOut(file.name, error))
    if not watermarks:
        raise StelaError(
            f'none of {len(files)} profiles in "{folder}" can be tested; {left_out[0].name}: '
            f"{left_out[0].reason.message}",
            left_out[0].reason.hint,
        )
    return Watermarks(watermarks, model, left_out)


class _Shared:
    """What profiles that are opened one after the other have in common: it is loaded once.

    Args:
        room: bytes of all different tokenizers and tables, where they have a limit.
    """

    def __init__(self, room: int | None = None) -> None:
        self.parsed = ParsedFiles()
        self.contexts: list[tuple[Profile, CausalContexts]] = []
        self._room = room
        self._sizes: dict[str, int] = {}

    def take(self, other: Watermark) -> None:
        """Share what a watermark has."""
        profile = other.profile
        self.parsed.tokenizers[profile.tokenizer_sha256] = other._tokenizer, other.tokens
        if other.contexts is not None:
            self.contexts.append((profile, other.contexts))

    def contexts_of(self, profile: Profile) -> tuple[CausalContexts | None, Tagger | None]:
        """Contexts of an earlier profile, or its tagger, where they are this one's."""
        part = profile.tagger
        same = [] if part is None else [(p, c) for p, c in self.contexts if p.tagger == part]
        for other, contexts in same:
            if (other.k, other.window) == (profile.k, profile.window) and (
                other.tokenizer_sha256 == profile.tokenizer_sha256
            ):
                return contexts, None
        return None, same[0][1].tagger if same else None

    def require_room(self, archive: Archive) -> None:
        """Refuse what would fill the memory.

        Raises:
            StelaError: all different tokenizers and tables have more bytes.
        """
        profile = archive.profile
        sizes = {profile.tokenizer_sha256: len(archive.tokenizer)}
        if archive.table is not None and profile.table_sha256 is not None:
            sizes[profile.table_sha256] = len(archive.table)
        together = self._sizes | sizes
        if self._room is not None and sum(together.values()) > self._room:
            raise StelaError(
                f"its tokenizer and table, with those of the profiles before it, have more than "
                f"{self._room // MEBIBYTE} MiB.",
                "test it by itself, with --profile",
            )
        self._sizes = together


def _opened(archive: Archive, file: str | Path, options: LoadOptions, shared: _Shared) -> Watermark:
    profile = archive.profile
    if not (options.allow_lenient or profile in trusted):
        require_strict(profile, f'profile "{file}"')
    shared.require_room(archive)
    parts = open_archive(archive, options, shared.parsed)
    provenance = trusted.provenance_of(profile, options.registry, archive)
    contexts, tagger = shared.contexts_of(profile)
    tagger_used = tagger or options.tagger
    watermark = Watermark(archive, None, options.registry, contexts, tagger_used, provenance, parts)
    if watermark.contexts is not None:
        shared.contexts.append((profile, watermark.contexts))
    return watermark


@contained
def _to_test(file: Path, options: LoadOptions, shared: _Shared, model: ModelAndTokenizer | None) -> Watermark:
    """One of a folder's profiles, whose model is the one that is given, if it needs one."""
    watermark = _opened(Archive.read(file), file, options, shared)
    watermark.logits_of(model)
    return watermark


def _profiles_in(folder: Path) -> list[Path]:
    """The profile files of a folder by name.

    Raises:
        StelaError: it is not a folder, cannot be read, or holds none or too many.
    """
    try:
        names = sorted(os.listdir(folder))
    except NotADirectoryError:
        raise StelaError(
            f'"{folder}" is not a folder.', "name the folder of the profiles; --profile takes one"
        ) from None
    except OSError as error:
        raise StelaError(f'"{folder}" cannot be read: {error.strerror}.', "check the path") from None
    files = [folder / name for name in names if name.endswith(".stela") and not name.startswith(".")]
    files = [file for file in files if stat.S_ISREG(os.lstat(file).st_mode)]
    if not files:
        raise StelaError(f'"{folder}" holds no profile.', "profiles are files called NAME.stela")
    if len(files) > MOST:
        raise StelaError(
            f'"{folder}" holds {len(files)} profiles, more than {MOST}.',
            "test them in several folders, and multiply p-values by the number of folders",
        )
    return files
