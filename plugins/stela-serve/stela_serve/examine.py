"""What a worker does with a request: the very detections of ``stela detect``, as the same JSON fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stela_cli.candidate_files import read_candidates
from stela_cli.registers import Register

import stela_core as stela
from stela_core.api import Evidence
from stela_serve.costs import ALL, Cost, timed
from stela_serve.issued import digest_of_lines, issued_of
from stela_serve.models import Scored, ToldProfile

if TYPE_CHECKING:
    from stela_serve.verdicts import Signer


@dataclass(frozen=True)
class Setup:
    """What a worker is told before its first request; it travels as JSON."""

    folder: str
    key_files: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    """Paths of local plugin files."""
    candidates: tuple[str, ...] = ()
    """Paths of files of candidate keys, called as their profiles."""
    allow_lenient: bool = False
    model: str | None = None
    device: str | None = None
    signing_key: str | None = None
    """Path of the key that signs verdicts."""
    messages: str | None = None
    """Path of a register: others than its messages are not read."""
    messages_size: int = 0
    """Bytes of it that are read."""
    show_issued: bool = False
    """Answers hold the register's entries."""
    page: bool = False
    """Make the page, and time what profiles cost, which one worker does."""
    keep_profiles: bool = False
    """Put no profile into it."""
    secret_tokens: bool = False
    """Colours of tokens are told where the key is secret, too."""
    memory: int = 0
    """Bytes that a worker may allocate; 0 for any number."""

    def to_dict(self) -> dict[str, Any]:
        """The fields that :meth:`of` reads."""
        return asdict(self)

    @classmethod
    def of(cls, fields: dict[str, Any]) -> Setup:
        """What :meth:`to_dict` wrote."""
        lists = {name: tuple(fields[name]) for name in ("key_files", "plugins", "candidates")}
        return cls(**{**fields, **lists})


@dataclass(frozen=True)
class Asked:
    """A request that was looked through."""

    texts: tuple[str, ...]
    profile: str | None = None
    """Name of the one to test for; ``None`` for all, with p-values times their number."""
    tokens: bool = False
    windows: bool = False
    as_it_is: bool = False
    sign: bool = False
    """Sign what came out, too."""
    key_id: str | None = None
    """Id of the one key to test for."""
    written: tuple[str, str] | None = None
    """Days between which the texts were written."""
    scores: bool = False
    """Answer as ``/detect`` does."""


class NothingLeftError(stela.StelaError):
    """A hint leaves nothing to test for."""


class Examiner:
    """The opened profiles of a folder.

    Args:
        setup: what to open, and how.

    Raises:
        StelaError: as for :func:`stela_core.load_all` and :func:`.issued_of`.
    """

    def __init__(self, setup: Setup) -> None:
        registry = stela.create_registry(list(setup.plugins))
        self._notes: list[str] = []
        model = None
        if setup.model is not None:
            model = stela.load_model(setup.model, registry=registry, device=setup.device)
        self._marks = stela.load_all(
            setup.folder,
            setup.key_files,
            registry,
            model,
            setup.allow_lenient,
            note=self._notes.append,
            candidates={
                Path(file).stem: read_candidates(Path(file).absolute(), self._notes.append)
                for file in setup.candidates
            },
        )
        self._register: Register | None = None
        if setup.messages is not None:
            self._register = issued_of(setup.messages, setup.messages_size, self._marks)
            self._marks = self._marks.among(tuple(self._register.lines))
        self._model = model
        self._setup = setup
        self._signer: Signer | None = None
        if setup.signing_key is not None:
            from stela_serve.verdicts import Signer  # libraries that only signatures need

            self._signer = Signer(setup.signing_key)
        for name, other in self._marks.same.items():
            self._notes.append(f"{name} is the mark of {other} under another name: it is tested once")

    def hello(self) -> dict[str, Any]:
        """What the service tells of the profiles, and its operator of those that are left out."""
        names = {*self._marks.names, *self._marks.same}
        return {
            "profiles": [told(name, self._marks[name]) for name in sorted(names)],
            "tests": len(self._marks),
            "messages": None if self._register is None else digest_of_lines(self._register),
            "signer": None if self._signer is None else {"public_key": self._signer.public_key},
            "left_out": [[name, reason.message, reason.hint] for name, reason in self._marks.left_out],
            "notes": self._notes,
            "page": self._page(),
            "costs": self._costs(),
        }

    def _costs(self) -> dict[str, Cost]:
        if not self._setup.page:  # one worker tells them, as it makes the page
            return {}
        costs = {ALL: timed(lambda text: self.results(Asked((text,))))}
        for name in {*self._marks.names, *self._marks.same}:
            costs[name] = timed(partial(self._test, name))
        return costs

    def _test(self, profile: str, text: str) -> None:
        self.results(Asked((text,), profile))

    def _page(self) -> tuple[str, str] | None:
        setup = self._setup
        if not setup.page:
            return None
        from stela_serve.page import page_of  # one worker needs it, once

        names = self._marks.names
        # A page tests for a profile's own key alone.
        away = {name for name in names if setup.keep_profiles or self._marks[name].keys.candidates}
        return page_of(setup.folder, names, away, setup.secret_tokens)

    def answer(self, asked: Asked) -> Mapping[str, Any]:
        """What the service answers.

        Raises:
            StelaError: a text cannot be tested.
        """
        if asked.scores:
            return scored(self._left(asked).detect(asked.texts[0], as_it_is=asked.as_it_is))
        results = self.results(asked)
        if not asked.sign:
            return {"results": results}
        assert self._signer is not None, "the service asks for signatures only where there is a key"
        names = sorted(self._marks.names) if asked.profile is None else [asked.profile]
        profiles = [told(name, self._marks[name]) for name in names]
        how = {"windows": asked.windows, "as_it_is": asked.as_it_is}
        return {"results": results, "signed": self._signer.sign(asked.texts, results, profiles, how)}

    def _left(self, asked: Asked) -> stela.Watermarks:
        """The marks that a hint leaves.

        Raises:
            NothingLeftError: there is none.
        """
        if (asked.profile, asked.key_id, asked.written) == (None, None, None):
            return self._marks
        names = None if asked.profile is None else [asked.profile]
        try:
            return self._marks.only(names, asked.key_id, asked.written)
        except stela.StelaError as error:
            raise NothingLeftError(error.message, error.hint) from None

    def results(self, asked: Asked) -> list[dict[str, Any]]:
        """Results of the texts: what ``stela detect --json`` prints of each but its source.

        Raises:
            StelaError: a text cannot be tested.
        """
        if asked.profile is None:
            attributions = self._marks.detect_many(asked.texts, None, asked.as_it_is, asked.windows)
            return [self._said(one, one.detection, asked.tokens) for one in attributions]
        watermark = self._marks[asked.profile]
        model = self._model if watermark.needs_model_to_detect else None
        detections = watermark.detect_many(asked.texts, model, None, asked.as_it_is)
        if asked.windows:
            detections = [watermark.with_passage(one) for one in detections]
        return [self._said(one, one, asked.tokens) for one in detections]

    def _said(
        self, result: stela.Detection | stela.Attribution, detection: stela.Detection, tokens: bool
    ) -> dict[str, Any]:
        fields = said(result, detection, tokens)
        if self._register is None or not self._setup.show_issued:
            return fields
        return self._register.said(detection, fields)


def scored(result: stela.Attribution) -> Scored:
    """A result in the words of ``/detect``."""
    best = result.detection
    said: Scored = {
        "score": best.z,
        "p_value": best.deciding_p,
        "num_scored_tokens": best.scored_tokens,
        "is_watermarked": best.watermarked,
        "tests": result.tests,
        "profile": result.name,
        "key_id": result.key_id,
    }
    if best.caveat is not None:
        said["caveat"] = best.caveat
    return said


def told(name: str, watermark: stela.Watermark) -> ToldProfile:
    """What anyone may know of a profile: never a key, not even a public one."""
    profile = watermark.profile
    hasher, candidates = profile.hasher, watermark.keys.candidates
    return {
        "name": name,
        "scheme": profile.scheme.name,
        "language": profile.language,
        "key_id": None if candidates else hasher.key_id,
        "earlier_key_ids": [] if candidates else [key.key_id for key in hasher.earlier_keys],
        "candidates": len(watermark.keys.known) if candidates else 0,
        "key": "secret" if hasher.key is None or candidates else "public",
        "fingerprint": profile.digest,
        "alpha": profile.alpha,
        "own": watermark.provenance.caveat is None,
        "caveat": watermark.provenance.caveat,
    }


def said(
    result: stela.Detection | stela.Attribution, detection: stela.Detection, tokens: bool
) -> dict[str, Any]:
    """A result's fields; tokens with their places."""
    fields = result.to_dict(tokens)
    if tokens:
        places = places_of(detection.evidence)
        fields["tokens"] = [
            {**token, "start": start, "end": end}
            for token, (start, end) in zip(fields["tokens"], places, strict=True)
        ]
    return fields


def places_of(evidence: Evidence) -> list[tuple[int, int]]:
    """Start and end of each token in the text that was given: it is ``text[start:end]``, in characters."""
    _, ends, unseen = evidence.token_spans()
    seen = [max(0, end - unseen) for end in ends]
    return list(pairwise(seen))
