"""The service's description for programs: ``/openapi.json``."""

from __future__ import annotations

from collections.abc import Collection
from importlib.metadata import version
from typing import Any

from stela_serve.limits import Limits

JSON = "application/json"

ERRORS = {
    400: "The request is malformed.",
    403: "Tokens of a profile whose key is secret, or a signature of a service that signs nothing.",
    404: "There is no such profile, or no signer.",
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

RESULT: dict[str, Any] = {
    "type": "object",
    "description": "What stela detect --json prints of a text: see docs/detecting.md.",
    "required": ["verdict", "p_value", "z", "scored_tokens", "unique_pairs", "threshold"],
    "properties": {
        "verdict": {"enum": ["watermarked", "no watermark found", "insufficient text"]},
        "p_value": {"type": "number", "minimum": 0, "maximum": 1},
        "z": {"type": "number"},
        "z_plain": {"type": "number"},
        "scored_tokens": {"type": "integer", "minimum": 0},
        "unique_pairs": {"type": "integer", "minimum": 0},
        "green_fraction": {"type": "number", "minimum": 0, "maximum": 1},
        "threshold": {"type": "number"},
        "caveat": {"type": ["string", "null"]},
        "reading": {"type": "string"},
        "readings": {"type": "integer", "minimum": 1},
        "profile": {"type": "string", "description": "What looks marked most, where all were tested."},
        "key_id": {"type": ["string", "null"]},
        "tests": {"type": "integer", "minimum": 1, "description": "p-values are times their number."},
        "power": {"type": "number"},
        "p_alike": {"type": "number"},
        "p_chosen": {"type": "number"},
        "window": {"type": "object"},
        "passages": {"type": "array", "items": {"type": "object"}},
        "marks": {"type": "array", "items": {"type": "object"}},
        "tokens": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["text", "green", "weight", "context", "start", "end"],
                "properties": {"start": {"type": "integer"}, "end": {"type": "integer"}},
            },
        },
    },
}

PROFILE: dict[str, Any] = {
    "type": "object",
    "required": ["name", "scheme", "language", "key_id", "key", "fingerprint"],
    "properties": {
        "name": {"type": "string"},
        "scheme": {"type": "string"},
        "language": {"type": ["string", "null"]},
        "key_id": {"type": ["string", "null"]},
        "earlier_key_ids": {"type": "array", "items": {"type": "string"}},
        "key": {"enum": ["public", "secret"]},
        "fingerprint": {"type": "string", "description": "SHA-256 of its profile.json."},
        "alpha": {"type": "number"},
    },
}

STATEMENT: dict[str, Any] = {
    "type": "object",
    "description": "Ed25519 over canonical JSON; stela verdict verify checks it.",
    "required": ["format", "kind", "says", "key", "signature"],
}

SIGNER: dict[str, Any] = {
    "type": "object",
    "required": ["public_key"],
    "properties": {"public_key": {"type": "string", "pattern": "^ed25519:[A-Za-z0-9_-]{43}$"}},
}

ERROR: dict[str, Any] = {
    "type": "object",
    "required": ["error", "hint"],
    "properties": {"error": {"type": "string"}, "hint": {"type": "string"}},
    "additionalProperties": False,
}


def openapi(limits: Limits, profiles: Collection[str]) -> dict[str, Any]:
    """OpenAPI 3.1 of a service with these limits and profiles."""
    text = {"type": "string", "maxLength": limits.characters}
    fields = {
        "text": {**text, "description": "One text."},
        "texts": {"type": "array", "minItems": 1, "maxItems": limits.texts, "items": text},
        "profile": {"enum": sorted(profiles), "description": "Leave it out to test for all."},
        "tokens": {"type": "boolean", "default": False, "description": "Each token, with its place."},
        "windows": {"type": "boolean", "default": False, "description": "Passages that look marked."},
        "as_it_is": {"type": "boolean", "default": False, "description": "No canonical forms."},
        "sign": {"type": "boolean", "default": False, "description": "Signed verdicts, too."},
    }
    asked = {
        "type": "object",
        "properties": fields,
        "additionalProperties": False,
        "oneOf": [{"required": ["text"]}, {"required": ["texts"]}],
        "example": {"text": "The history of the city began in the early nineteenth century."},
    }
    results = {
        "type": "object",
        "required": ["results"],
        "properties": {
            "results": {"type": "array", "items": RESULT, "minItems": 1},
            "signed": {"type": "array", "items": STATEMENT},
        },
    }
    listed = {
        "type": "object",
        "required": ["profiles", "tests"],
        "properties": {
            "profiles": {"type": "array", "items": PROFILE},
            "tests": {"type": "integer", "minimum": 1},
        },
    }
    body = {"required": True, "content": {JSON: {"schema": asked}}}
    state = {"type": "object", "required": ["status", "workers", "ready"]}
    description = {"type": "object", "required": ["openapi", "paths"]}
    return {
        "openapi": "3.1.0",
        "info": {"title": "STELA", "version": version("stela-serve")},
        "paths": {
            "/": {"get": operation("The page.", "text/html", {"type": "string"}, 421, 429)},
            "/v1/detect": {
                "post": {
                    **operation("Test texts for marks.", JSON, results, *ERRORS),
                    "requestBody": body,
                }
            },
            "/v1/profiles": {"get": operation("What is tested for.", JSON, listed, 421, 429)},
            "/v1/signer": {"get": operation("Who signs verdicts.", JSON, SIGNER, 404, 421, 429)},
            "/healthz": {"get": operation("Whether it works.", JSON, state, 503)},
            "/metrics": {"get": operation("For Prometheus.", "text/plain", {"type": "string"}, 421)},
            "/openapi.json": {"get": operation("This.", JSON, description, 421, 429)},
        },
    }


def operation(summary: str, media: str, schema: dict[str, Any], *errors: int) -> dict[str, Any]:
    """What one place answers."""
    responses: dict[str, Any] = {"200": {"description": "Done.", "content": {media: {"schema": schema}}}}
    for status in errors:
        responses[str(status)] = {"description": ERRORS[status], "content": {JSON: {"schema": ERROR}}}
    return {"summary": summary, "responses": responses}
