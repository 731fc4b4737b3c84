"""The service's description for programs, ``/openapi.json``: its places, and the types of ``models.py``."""

from __future__ import annotations

from collections.abc import Collection
from importlib.metadata import version
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from stela_serve.limits import Limits
from stela_serve.models import Body, Description, Error, Health, Listed, Results, ScoreBody, Scored, Signed

JSON = "application/json"

ERRORS = {
    400: "The request is malformed.",
    403: "Tokens of a profile whose key is secret, or a signature of a service that signs nothing.",
    404: "There is no such profile, no key that a hint leaves, or no signer.",
    408: "The body came too slowly.",
    413: "Too large.",
    415: "No JSON, or compressed.",
    421: "The request calls the service by a name that is not its own.",
    422: "A text is too long, or cannot be tested.",
    429: "Too many texts of one client; Retry-After says when to come again.",
    500: "A mistake of the service.",
    503: "No room at the moment; Retry-After says when to come again.",
    504: "The request took longer than it may.",
}


class Place(NamedTuple):
    """What is answered at a path."""

    summary: str
    answer: Any
    """Type of the answer."""
    errors: Collection[int] = (421, 429)
    media: str = JSON
    body: Any = None
    """Type of the request's body; where there is one, it is posted."""


PLACES = {
    "/": Place("The page.", str, media="text/html"),
    "/v1/detect": Place("Test texts for marks.", Results, ERRORS, body=Body),
    "/detect": Place("Test a text, in vLLM's words.", Scored, ERRORS, body=ScoreBody),
    "/v1/profiles": Place("What is tested for.", Listed),
    "/v1/signer": Place("Who signs verdicts.", Signed, (404, 421, 429)),
    "/healthz": Place("Whether it works.", Health, (503,)),
    "/metrics": Place("For Prometheus.", str, (421,), "text/plain"),
    "/openapi.json": Place("This.", Description),
}


def openapi(limits: Limits, profiles: Collection[str]) -> Description:
    """OpenAPI 3.1 of a service with these limits and profiles."""
    kinds = {kind for place in PLACES.values() for kind in (place.answer, place.body, Error) if kind}
    schemas, rest = TypeAdapter.json_schemas(
        [(kind, "validation", TypeAdapter(kind)) for kind in sorted(kinds, key=lambda kind: kind.__name__)],
        ref_template="#/components/schemas/{model}",
    )
    named = rest["$defs"]
    fields = named["Body"]["properties"]
    fields["text"]["maxLength"] = fields["texts"]["items"]["maxLength"] = limits.characters
    fields["texts"]["maxItems"] = limits.texts
    fields["profile"]["enum"] = named["Hint"]["properties"]["profile"]["enum"] = sorted(profiles)
    named["ScoreBody"]["properties"]["text"]["maxLength"] = limits.characters

    def content(media: str, kind: Any) -> dict[str, Any]:
        return {"content": {media: {"schema": schemas[kind, "validation"]}}}

    def operation(place: Place) -> dict[str, Any]:
        responses = {"200": {"description": "Done.", **content(place.media, place.answer)}}
        responses |= {
            str(status): {"description": ERRORS[status], **content(JSON, Error)} for status in place.errors
        }
        said = {"summary": place.summary, "responses": responses}
        if place.body is None:
            return {"get": said}
        return {"post": {**said, "requestBody": {"required": True, **content(JSON, place.body)}}}

    return {
        "openapi": "3.1.0",
        "info": {"title": "STELA", "version": version("stela-serve")},
        "paths": {path: operation(place) for path, place in PLACES.items()},
        "components": {"schemas": named},
    }
