"""Profiles that a page may hold: what of their files goes into it, and which are refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import stela_core as stela
from stela_core.api import Archive, parse_json
from stela_page.expected import expected_of
from stela_page.reproducible import SERVICE, require_reproducible


@dataclass(frozen=True, slots=True)
class Held:
    """A profile that a page holds."""

    name: str
    """What visitors read: anybody's words."""
    digest: str
    """SHA-256 of its profile.json."""
    archive: Archive
    tokenizer_known: bool
    """Whether its tokenizer was there before it, as far as whoever makes the page can tell."""
    content: str
    """Text of its profile.json, to the byte: a signature is over it."""
    statement: str | None = None
    """Text of its signature, which the page checks itself; ``None`` where it is not signed."""
    tagger: bytes | None = None
    """What a browser needs of the tagger behind its weights."""
    expected: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """What the expected power is worked out of."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A profile that the page asks a service for: fields as the page's program reads them (``data.ts``)."""

    name: str
    """What visitors read."""
    sha256: str
    """SHA-256 of its profile.json."""
    scheme: str
    language: str | None
    key_id: str
    asked: str
    """Its name at the service."""
    tokens: bool
    """Whether the service tells colours of tokens."""
    signature: Mapping[str, str | None]
    """``state`` (``none``, ``broken`` or ``holds``), and where it holds ``key``, ``maker`` and ``time``."""


def elsewhere_of(path: str | Path, secret_tokens: bool = False) -> Elsewhere:
    """What the page of a service says of a profile that it does not hold.

    Args:
        path: of the profile's file.
        secret_tokens: the service tells colours of tokens where the key is secret, too.

    Raises:
        stela.StelaError: it is not a profile.
    """
    profile = Archive.read(path).profile
    hasher = profile.hasher
    path = Path(path)
    return Elsewhere(
        name=path.stem,
        sha256=profile.digest,
        scheme=profile.scheme.name,
        language=profile.language,
        key_id=hasher.key_id or "\u2013",
        asked=path.name,
        tokens=hasher.key is not None or secret_tokens,
        signature=signature_as_told(path),
    )


def signature_as_told(path: Path) -> dict[str, str | None]:
    """What ``stela profile verify`` finds, as the page's program reads it."""
    from stela_sign.profile_signature import signature_of

    try:
        signature = signature_of(path)
    except stela.StelaError:
        return {"state": "broken"}
    return {"state": "none"} if signature is None else {"state": "holds", **asdict(signature)}


def held_of(path: str | Path, registry: stela.Registry | None = None) -> Held:
    """A profile that a page may hold; its signature is not looked at.

    Raises:
        stela.StelaError: it is not a profile, its key is secret, or a browser would not give its p-values.
    """
    # Here, since commands are made whenever stela starts.
    from stela_sign.profile_signature import SIGNATURE
    from stela_sign.statement import LARGEST as LARGEST_STATEMENT

    what = f'profile "{path}"'
    archive = Archive.read(path, {SIGNATURE: LARGEST_STATEMENT})
    require_public(archive, path)
    written = archive.profile.model_dump(mode="json")
    require_reproducible(
        written, parse_json(archive.tokenizer, f"the tokenizer in {what}", "get it again"), what
    )
    content, signature = archive.members["profile.json"], archive.members.get(SIGNATURE)
    if not same(parse_json(content, what, "get the file again"), written):
        raise stela.StelaError(
            f"{what} writes numbers or words of its profile.json as STELA does not.", SERVICE
        )
    watermark = stela.load(path, registry=registry)
    return Held(
        Path(path).stem,
        archive.profile.digest,
        archive,
        not watermark.provenance.foreign_tokenizer,
        content.decode("utf-8"),
        None if signature is None else signature.decode("utf-8", "replace"),
        tagger_of(watermark, what),
        expected_of(watermark),
    )


def tagger_of(watermark: stela.Watermark, source: str) -> bytes | None:
    """The tagger behind a watermark's weights, for a browser; ``None`` where evidence has no weights by tags.

    Its fingerprint is the profile's: that was compared when the profile was opened.

    Raises:
        stela.StelaError: the tagger does not write itself down.
    """
    if watermark.contexts is None or "contexts" not in watermark.parts.evidence.needs:
        return None
    tagger = watermark.contexts.tagger
    written = tagger.portable()
    if written is None:
        raise stela.StelaError(
            f'{source} does not run in a browser: its tagger "{tagger.name}" was not carried over.', SERVICE
        )
    return written


def require_public(archive: Archive, path: str | Path) -> None:
    """Refuse secret keys: whoever has the page would have the key.

    A profile of which a key was published is taken as ``stela detect`` takes it without a key file: for the
    keys that are public. Those that are secret are not part of the file.

    Raises:
        stela.StelaError: the profile's key, or one before it, is secret, and none was published.
    """
    keys = archive.profile.hasher.keys
    if any(one.key is None for one in keys) and not any(one.published for one in keys):
        raise stela.StelaError(
            f'the key of profile "{path}" is secret: a page that looks for its mark would publish it.',
            "test texts with stela detect --key-file, or make a page of a profile with --public-key",
        )


def same(given: Any, read: Any) -> bool:
    """Whether a profile.json says what was read of it: a browser takes ``"0.5"`` for no number.

    Fields that it leaves out are those whose defaults the detector has, too.
    """
    if isinstance(given, Mapping) and isinstance(read, Mapping):
        return all(same(value, read[name]) if name in read else not value for name, value in given.items())
    if isinstance(given, list) and isinstance(read, list | tuple):
        return len(given) == len(read) and all(map(same, given, read))
    return isinstance(given, bool) == isinstance(read, bool) and bool(given == read)
