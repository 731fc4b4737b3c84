"""What ``stela generate`` is to write: prompts, and the message that each text's mark carries."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from stela_cli.detect_inputs import read_records

from stela_core import Encoder, StelaError

RANDOM = "random"
"""Word in place of a message: one is drawn for each text, so that answers to one prompt are not alike."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One text to write."""

    text: str
    message: str | None
    """Hex digits, as they were given."""
    where: str | None = None
    """File and line of a message that stands there."""


def require_prompts(given: Sequence[str], file: str | None) -> None:
    """Find out whether there are prompts, from one place, none of them empty on the command line.

    Raises:
        StelaError: there are none, or from both places, or one is empty.
    """
    if bool(given) == (file is not None):
        raise StelaError("give either --prompt TEXT or --prompts F.jsonl.", "one of the two")
    if "" in given:
        raise StelaError("the prompt is empty.", "give at least one character")


def asked_for(given: Sequence[str], file: str | None, message: str | None) -> list[Prompt]:
    """The prompts of the command line, or of a file of JSON lines.

    Args:
        given: on the command line.
        file: a line's own message goes before the option's.
        message: of all others.

    Raises:
        StelaError: naming file and line.
    """
    if file is None:
        return [Prompt(text, message) for text in given]
    prompts = []
    for number, text, record in read_records(file, ("prompt", "text")):
        own, where = record.get("message"), f"{file}:{number}"
        if own is None:
            prompts.append(Prompt(text, message))
        elif isinstance(own, str):
            prompts.append(Prompt(text, own, where))
        else:
            raise StelaError(f'{where} has a "message" that is not a string.', 'write hex digits: "1f"')
    return prompts


def messages_of(prompts: Sequence[Prompt], encoder: Encoder | None) -> list[str] | None:
    """Each text's message, as hex digits, drawn where :data:`RANDOM` stands; ``None`` where marks carry none.

    Raises:
        StelaError: marks carry none and one is given, or the other way round, or one has too many bits.
    """
    messages = []
    for prompt in prompts:
        try:
            if encoder is None:
                if prompt.message is not None:
                    raise Encoder.missing()
                continue
            drawn = secrets.randbits(encoder.bits) if prompt.message == RANDOM else None
            number = encoder.required(prompt.message if drawn is None else drawn)
        except StelaError as error:
            if prompt.where is None:
                raise
            raise StelaError(f"{prompt.where}: {error.message}", error.hint) from None
        messages.append(f"{number:0{(encoder.bits + 3) // 4}x}")
    return messages or None
