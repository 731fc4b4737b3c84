"""What a request asks for in the arguments that an engine passes on, under the server's policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stela_core import Encoder, StelaError
from stela_core.api import did_you_mean
from stela_serving.profiles import bits_by_name
from stela_serving.settings import OFF, ON, REQUIRED, ServerSettings

ARGUMENT = "stela"
"""What a request is marked with: a profile's name, or ``on`` or ``off``."""
MESSAGE = "stela_message"
"""The other: the message of the text's mark, in hex digits, where the profile has bits for one."""
SHOWN = 40
"""Characters that are repeated of a malformed wish."""


def profile_for(arguments: Mapping[str, Any] | None, settings: ServerSettings) -> str | None:
    """The name of the profile that a request's text is marked with, ``None`` for a text without mark.

    Args:
        arguments: of the request: vLLM's ``extra_args``, SGLang's ``custom_params``.
        settings: the server's.

    Raises:
        StelaError: it asks for what there is not, for no mark where one is required, or for one of
            several without saying which.
    """
    arguments = arguments or {}
    misspelt = [name for name in arguments if name not in (ARGUMENT, MESSAGE) and name.startswith(ARGUMENT)]
    if misspelt:
        raise StelaError(
            f'a request has no argument "{misspelt[0]}".',
            f'"{ARGUMENT}" takes a profile\'s name, or {ON} or {OFF}; "{MESSAGE}" hex digits',
        )
    wish = _wish(arguments[ARGUMENT]) if ARGUMENT in arguments else None
    if wish == OFF:
        if settings.policy == REQUIRED:
            raise StelaError(
                "this server marks all texts.", f'leave "{ARGUMENT}" out, or name a profile with it'
            )
        return None
    if wish is None and not settings.marks_unasked:
        return None
    names = list(settings.profiles)
    if wish in (None, ON):
        if len(names) == 1:
            return names[0]
        raise StelaError(
            f"this server has {len(names)} profiles: {', '.join(names)}.", f'name one with "{ARGUMENT}"'
        )
    if wish not in settings.profiles:
        raise StelaError(f'there is no profile "{wish}" here.', did_you_mean(str(wish), names))
    return wish


def message_for(
    arguments: Mapping[str, Any] | None, profile: str | None, settings: ServerSettings
) -> int | None:
    """The message that a request's text carries, ``None`` where its mark carries none.

    Args:
        arguments: as for :func:`profile_for`.
        profile: what that gave for them.
        settings: the server's.

    Raises:
        StelaError: there is one and the mark carries none, or there is none and it does; or it is not one of
            this number of bits.
    """
    arguments = arguments or {}
    bits = None if profile is None else bits_by_name(settings)[profile]
    if bits is None:
        if MESSAGE in arguments:
            what = "texts without mark" if profile is None else f'marks of profile "{profile}"'
            raise StelaError(
                f"{what} carry no message.",
                f'leave "{MESSAGE}" out, or name another profile with "{ARGUMENT}"',
            )
        return None
    if MESSAGE not in arguments:
        raise StelaError(
            f'marks of profile "{profile}" carry a message of {bits} bits, and there is none.',
            f'give "{MESSAGE}" in hex digits, such as "{"1f" if bits > 4 else "1"}"',
        )
    value = arguments[MESSAGE]
    if not isinstance(value, str) or len(value) > SHOWN:
        raise StelaError(
            f'"{MESSAGE}" is {repr(value)[:SHOWN]}, of type {type(value).__name__}.',
            f"give hex digits, as a string: at most {(1 << bits) - 1:x}",
        )
    return Encoder.number_of(value, bits)


def _wish(value: object) -> str:
    """``on``, ``off`` or a name; true and false say on and off.

    vLLM's HTTP server turns them into 1 and 0, so these mean the same everywhere. Other numbers mean nothing.
    """
    if isinstance(value, bool | int | float) and value in (0, 1):
        return ON if value else OFF
    if isinstance(value, str) and value:
        return value
    raise StelaError(
        f'"{ARGUMENT}" is {repr(value)[:SHOWN]}, of type {type(value).__name__}.',
        f"give a profile's name, {ON} (true, 1) or {OFF} (false, 0)",
    )
