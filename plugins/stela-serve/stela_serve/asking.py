"""What a request asks, looked through before any worker sees it; no answer says a word of it back."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from stela_core import StelaError
from stela_core.api import parse_json
from stela_serve.examine import Asked
from stela_serve.limits import Limits
from stela_serve.refused import RefusedError

FLAGS = ("tokens", "windows", "as_it_is", "sign")
FIELDS = ("text", "texts", "profile", *FLAGS)
HINT = "the fields are described at /openapi.json"
ENDING = ".stela"


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
    try:
        fields = parse_json(body, "the body", HINT)
    except StelaError:  # its words are the parser's: it might quote
        raise RefusedError(
            400, "the body is no JSON, or nested or large beyond what a request needs.", HINT
        ) from None
    if not isinstance(fields, dict):
        raise RefusedError(400, "the body is no JSON object.", HINT)
    if not fields.keys() <= {*FIELDS}:
        raise RefusedError(400, "the body has a field that there is not.", f"there are {', '.join(FIELDS)}")
    for name in FLAGS:
        if not isinstance(fields.get(name, False), bool):
            raise RefusedError(400, f'"{name}" is neither true nor false.', HINT)
    texts = texts_of(fields, limits)
    profile = profile_of(fields, profiles)
    asked = Asked(tuple(texts), profile, *(fields.get(name, False) for name in FLAGS))
    if asked.sign and not signs:
        raise RefusedError(403, "this service signs nothing.", 'leave "sign" out')
    if asked.tokens:
        require_tokens(asked, limits, no_tokens)
    return asked


def texts_of(fields: dict[str, Any], limits: Limits) -> list[str]:
    """The texts.

    Raises:
        RefusedError: they are no texts, too many or too long.
    """
    if ("text" in fields) == ("texts" in fields):
        raise RefusedError(400, 'the body has not one of "text" and "texts".', HINT)
    texts = fields["texts"] if "texts" in fields else [fields["text"]]
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise RefusedError(400, "a text is no string.", 'give "text": "..." or "texts": ["...", "..."]')
    if not 1 <= len(texts) <= limits.texts:
        raise RefusedError(400, f"there are not 1 to {limits.texts} texts.", "send several requests")
    if max(map(len, texts)) > limits.characters:
        raise RefusedError(
            422,
            f"a text has more than {limits.characters:,} characters.",
            "test a part of it, or use stela detect",
        )
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        raise RefusedError(
            400, "a text holds half a character (a lone surrogate).", "send whole ones"
        ) from None
    return texts


def profile_of(fields: dict[str, Any], profiles: Collection[str]) -> str | None:
    """Name of the profile's file; ``None`` for all.

    Raises:
        RefusedError: there is none of that name.
    """
    if "profile" not in fields:
        return None
    name = fields["profile"]
    if not isinstance(name, str):
        raise RefusedError(400, '"profile" is no string.', "leave it out to test for all profiles")
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
            "colours of single tokens are not told of profiles whose key is secret.",
            'leave "tokens" out, or name a profile whose key is public',
        )
    if sum(map(len, asked.texts)) > limits.characters:
        raise RefusedError(
            422,
            f"tokens are told of at most {limits.characters:,} characters in one request.",
            "send several requests",
        )


def for_worker(asked: Asked) -> bytes:
    """The request as a worker reads it."""
    fields = {name: getattr(asked, name) for name in ("profile", *FLAGS)}
    return json.dumps({**fields, "texts": asked.texts}).encode()
