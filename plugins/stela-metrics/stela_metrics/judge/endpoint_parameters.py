"""What a user can choose of a chat endpoint: where it is, the model, limits."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

import stela_core as stela
from stela_metrics.judge.address import Address


class EndpointParameters(stela.Parameters):
    """Parameters of an endpoint that is asked. The key is not among them: it comes from the environment."""

    model: str = Field(min_length=1)
    """Name of the model, as the endpoint knows it."""

    base_url: str = "https://api.openai.com/v1"
    """Address of any endpoint with ``POST {base_url}/chat/completions``: OpenAI, vLLM, llama.cpp, Ollama.
    ``https``, or ``http`` on this machine (``localhost`` or a loopback address)."""

    temperature: Annotated[float, Field(allow_inf_nan=False)] | Literal["default"] = 0.0
    """``"default"`` leaves it to the endpoint: some models refuse to be given one."""

    extra: dict[str, Any] = Field(default_factory=dict)
    """Further fields of the request, such as ``max_completion_tokens``."""

    concurrency: int = Field(8, ge=1, le=256)
    """Requests under way at once."""

    timeout: float = Field(60.0, gt=0, le=3600)
    """Seconds for one request, from connecting to the last byte; it is then tried again."""

    retries: int = Field(5, ge=0, le=20)
    """Further tries after a timeout, a broken connection, status 429 or 5xx."""

    backoff: float = Field(1.0, ge=0)
    """Seconds before the first of them; it doubles each time, up to a minute."""

    @field_validator("base_url")
    @classmethod
    def _plain_url(cls, url: str) -> str:
        address = Address.of(url)
        if address.scheme == "http" and not address.is_this_machine:
            raise ValueError("must begin with https://, for anything but this machine")
        return url.rstrip("/")

    @field_validator("extra")
    @classmethod
    def _not_ours(cls, extra: dict[str, Any]) -> dict[str, Any]:
        taken = sorted({"messages", "model", "temperature", "stream", "n"} & set(extra))
        if taken:
            raise ValueError(f"must not set {taken[0]}")
        try:
            json.dumps(extra, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ValueError(f"is not for JSON: {error}") from None
        return extra
