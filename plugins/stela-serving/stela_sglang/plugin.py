"""What SGLang loads by its entry point, in each of its processes: hooks where requests and schedulers begin.

SGLang logs what fails when it loads plugins, and goes on. Nothing here may fail so: what would leave texts
without a mark ends the process.
"""

from __future__ import annotations

import logging
import os
import pkgutil
import weakref
from copy import copy
from functools import cache
from http import HTTPStatus
from typing import Any, NamedTuple

from stela_serving.marks import ServerMarks
from stela_serving.settings import ServerSettings

import stela_core as stela
from stela_sglang import PROCESSOR
from stela_sglang.starting import Start, require_right_start
from stela_sglang.texts import Texts
from stela_sglang.wishes import require_right_request, wish_of

log = logging.getLogger("stela_sglang")

SCHEDULER = "sglang.srt.managers.scheduler.Scheduler.__init__"
REQUEST = "sglang.srt.managers.schedule_batch.Req.__init__"
ASKED = "sglang.srt.managers.tokenizer_manager.TokenizerManager._validate_one_request"
DELAY = "SGLANG_ENABLE_DELAY_SAMPLE"


class Serving(NamedTuple):
    """Settings and texts of a scheduler's process."""

    settings: ServerSettings
    texts: Texts


_SERVING: list[Serving] = []


@cache
def settings() -> ServerSettings:
    """The server's, read once a process."""
    return ServerSettings.read()


def serving() -> Serving:
    """What was made when the scheduler began.

    Raises:
        stela.StelaError: none began under this plugin.
    """
    if not _SERVING:
        raise stela.StelaError(
            "this server was not told to mark texts.",
            "set STELA_PROFILE when it starts; where SGLANG_PLUGINS is set, name stela in it",
        )
    return _SERVING[0]


def load() -> None:
    """Register the hooks, where the environment names a profile."""
    if not os.environ.get("STELA_PROFILE"):
        return
    from sglang.srt.plugins.hook_registry import HookRegistry, HookType

    try:
        settings()
        for target in (SCHEDULER, REQUEST, ASKED):
            pkgutil.resolve_name(target)
    except stela.StelaError as error:
        raise SystemExit(f"Error: {error}") from None
    except (AttributeError, ImportError) as error:
        raise SystemExit(f"Error: this SGLang has other classes than 0.5.23: {error}") from None
    os.environ.setdefault(DELAY, "1")
    HookRegistry.register(SCHEDULER, scheduler_began, HookType.AFTER)
    HookRegistry.register(REQUEST, request_began, HookType.AFTER)
    HookRegistry.register(ASKED, request_came, HookType.BEFORE)


def scheduler_began(_: None, scheduler: Any, *arguments: Any, **named: Any) -> None:
    """Load the profiles, or refuse to begin.

    Raises:
        stela.StelaError: a profile is wrong, the tokenizer is another one, or texts would have no mark.
    """
    own = settings()
    require_right_start(Start.of(scheduler), own)
    _SERVING[:] = [Serving(own, Texts(ServerMarks.of(own, scheduler.tokenizer), refuse))]
    log.info("texts are marked (%s): %s", own.policy, ", ".join(own.profiles))


def request_came(manager: Any, asked: Any, *arguments: Any, **named: Any) -> None:
    """Refuse a request with one line, before SGLang unpickles anything of it; a client gets HTTP 400.

    Raises:
        ValueError: it asks for what there is not, or for what would leave no mark.
    """
    params = asked.sampling_params if isinstance(getattr(asked, "sampling_params", None), dict) else None
    if params is None or not hasattr(asked, "custom_logit_processor"):
        return
    try:
        require_right_request(settings(), asked.rid, params, asked.custom_logit_processor)
    except stela.StelaError as error:
        raise ValueError(str(error)) from None


def request_began(_: None, request: Any, *arguments: Any, **named: Any) -> None:
    """Give a request our processor, or end it with a line: also one that came by another frontend."""
    try:
        own = serving()
        wish = wish_of(own.settings, request)
    except stela.StelaError as error:
        request.custom_logit_processor = None
        refuse(request, str(error))
        return
    request.custom_logit_processor = None
    if wish is None:
        own.texts.pass_over()
        return
    request.custom_logit_processor = PROCESSOR
    params = copy(request.sampling_params)
    params.custom_params = {**(params.custom_params or {}), "__req__": weakref.proxy(request)}
    request.sampling_params = params
    own.texts.begin(request, wish)


def refuse(request: Any, message: str) -> None:
    """End a request when its next token comes; a client gets HTTP 400 with the line."""
    from sglang.srt.managers.schedule_batch import FINISH_ABORT

    log.warning("request %s is refused: %s", request.rid, message)
    request.to_finish = FINISH_ABORT(message, HTTPStatus.BAD_REQUEST, "BadRequestError")
