"""What a request is marked with, or why it is refused: its parameters under the server's policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stela_serving.asked import message_for, profile_for
from stela_serving.marks import MarkWish
from stela_serving.profiles import samples_by_name
from stela_serving.settings import ServerSettings

import stela_core as stela
from stela_sglang import PROCESSOR
from stela_sglang.drawing import Drawing, require_drawn

HEALTH = "HEALTH_CHECK"
"""How ids of SGLang's own requests begin, which ask for one token; anybody may call his so."""
READ = ("temperature", "top_k", "beam_width", "max_new_tokens", "custom_params")
"""Fields of ``SamplingParams`` that are looked at."""


def require_right_request(
    settings: ServerSettings, rid: object, params: Mapping[str, Any], processor: object
) -> tuple[str, int | None] | None:
    """The name of the profile that a request's text is marked with, and the message that the mark carries;
    ``None`` for a text without mark.

    Args:
        settings: the server's.
        rid: the request's id.
        params: fields of ``SamplingParams``, those that are set.
        processor: the serialized one that it brings.

    Raises:
        stela.StelaError: it asks for what there is not, or for what would leave no mark.
    """
    if processor is not None and processor != PROCESSOR:
        raise stela.StelaError(
            "this server runs no logit processors of its clients.", "leave custom_logit_processor out"
        )
    if isinstance(rid, str) and rid.startswith(HEALTH) and params.get("max_new_tokens") == 1:
        return None
    custom_params = params.get("custom_params")
    if custom_params is not None and not isinstance(custom_params, Mapping):
        raise stela.StelaError(
            f"custom_params is {type(custom_params).__name__}.", 'give an object, as {"stela": "on"}'
        )
    profile = profile_for(custom_params, settings)
    message = message_for(custom_params, profile, settings)
    if profile is None:
        return None
    if (params.get("beam_width") or 1) > 1:
        raise stela.StelaError("texts of a beam search are not marked.", "leave beam_width out")
    if samples_by_name(settings)[profile]:
        require_drawn(params.get("temperature"), params.get("top_k"))
    return profile, message


def wish_of(settings: ServerSettings, request: Any) -> MarkWish | None:
    """The wish of SGLang's ``Req``; ``None`` where its text is not marked.

    Raises:
        stela.StelaError: as for :func:`require_right_request`.
    """
    own = request.sampling_params
    params = {name: getattr(own, name, None) for name in READ}
    asked = require_right_request(settings, request.rid, params, request.custom_logit_processor)
    if asked is None:
        return None
    profile, message = asked
    return MarkWish(profile, Drawing.of(own), message)
