"""What a request asks, looked through before any worker sees it; no answer says a word of it back."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from stela_core import StelaError
from stela_core.api import Written, parse_json
from stela_serve.examine import Asked
from stela_serve.limits import Limits
from stela_serve.models import Body, Hint, ScoreBody
from stela_serve.refused import RefusedError

HINT = "the fields are described at /openapi.json"
FLAGS = ("tokens", "windows", "as_it_is", "sign")
SEARCHED = ("key_id", "written", "scores")
ENDING = ".stela"
RECORD = frozenset({"prompt", "token_ids", "weights", "mean_bias"})
"""Fields that a record of ``stela generate --json`` has besides its text: they are left out."""

B = TypeVar("B", bound=BaseModel)


def asked_of(
    body: bytes, limits: Limits, profiles: Collection[str], no_tokens: Collection[str], signs: bool = False
) -> Asked:
    """The request of a body.

    Args:
        body: JSON, as it came.
        limits: of texts.
        profiles: names of those there are.
        no_tokens: names of those whose tokens' colours are not told.
        signs: whether the service has a key to sign with.

    Raises:
        RefusedError: it asks for nothing that there is.
    """
    read = read_as(Body, body)
    texts = read.texts if "texts" in read.model_fields_set else [read.text]
    require_within(texts, limits)
    profile = profile_of(read.profile, profiles) if "profile" in read.model_fields_set else None
    asked = Asked(tuple(texts), profile, *(getattr(read, name) for name in FLAGS))
    if asked.sign and not signs:
        raise RefusedError(403, "this service does not sign verdicts.", 'leave "sign" out')
    if asked.tokens:
        require_tokens(asked, limits, no_tokens)
    return asked


def scoring_of(body: bytes, limits: Limits, profiles: Collection[str]) -> Asked:
    """The request of a body of ``/detect``; arguments and errors as for :func:`asked_of`."""
    read = read_as(ScoreBody, body)
    require_within([read.text], limits)
    hint, given = read.hint, read.hint.model_fields_set
    profile = profile_of(hint.profile, profiles) if "profile" in given else None
    written = None
    if "written_between" in given:
        first, last = written = hint.written_between[0], hint.written_between[1]
        try:
            Written.between(first, last)
        except StelaError as error:
            raise RefusedError(404, "there is no day between these two.", error.hint) from None
    return Asked(
        (read.text,),
        profile,
        key_id=hint.key_id if "key_id" in given else None,
        written=written,
        scores=True,
    )


def read_as(model: type[B], body: bytes) -> B:
    """A body by its type.

    Raises:
        RefusedError: it is of another.
    """
    try:
        fields = parse_json(body, "the body", HINT)
    except StelaError:  # its words are the parser's: it might quote
        raise RefusedError(
            400, "the body is not JSON, or nested or large beyond what a request needs.", HINT
        ) from None
    if isinstance(fields, dict) and "text" in fields:
        fields = {name: value for name, value in fields.items() if name not in RECORD}
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise malformed(error, model) from None


def malformed(error: ValidationError, model: type[BaseModel]) -> RefusedError:
    """What is wrong first. A field that there is not has a name of the request's: it is not told."""
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] == "extra_forbidden":
        fields = ", ".join(model.model_fields if len(first["loc"]) == 1 else Hint.model_fields)
        return RefusedError(400, "unknown field in the request.", f"known are {fields}")
    where = f'"{first["loc"][0]}"' if first["loc"] else "the body"
    return RefusedError(400, f"{where}: {first['msg'].lower()}.", HINT)


def require_within(texts: list[str], limits: Limits) -> None:
    """Refuse texts that are too many or too long.

    Raises:
        RefusedError: they are.
    """
    if len(texts) > limits.texts:
        raise RefusedError(400, f"there are not 1 to {limits.texts} texts.", "send several requests")
    if max(map(len, texts)) > limits.characters:
        raise RefusedError(
            422,
            f"a text has more than {limits.characters:,} characters.",
            "test a part of it, or use stela detect",
        )


def profile_of(name: str, profiles: Collection[str]) -> str:
    """Name of the profile's file.

    Raises:
        RefusedError: there is none of that name.
    """
    for known in (name, name + ENDING):
        if known in profiles:
            return known
    raise RefusedError(404, "there is no profile of this name.", "GET /v1/profiles lists them")


def require_tokens(asked: Asked, limits: Limits, no_tokens: Collection[str]) -> None:
    """Refuse tokens where they would give a secret key's colours away, or fill the memory.

    Raises:
        RefusedError: with the reason.
    """
    if no_tokens and (asked.profile is None or asked.profile in no_tokens):
        raise RefusedError(
            403,
            "the colours of single tokens are not shown for profiles with a secret key.",
            'leave "tokens" out, or name a profile whose key is public',
        )
    if sum(map(len, asked.texts)) > limits.characters:
        raise RefusedError(
            422,
            f"tokens are shown for at most {limits.characters:,} characters in one request.",
            "send several requests",
        )


def for_worker(asked: Asked) -> bytes:
    """The request as a worker reads it."""
    fields = {name: getattr(asked, name) for name in ("profile", *FLAGS, *SEARCHED)}
    return json.dumps({**fields, "texts": asked.texts}).encode()
