"""What ``stela detect`` says of the messages that it has read."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, Context

from stela_core import Message

_UP = Context(prec=1, rounding=ROUND_CEILING)


def said_of_messages(messages: Sequence[Message]) -> str | None:
    """How sure one may be of the digits shown, in one line; ``None`` where no message was read."""
    sure = [message for message in messages if message.is_sure]
    if len(messages) == 1:
        more = "more" if set(messages[0].text) == {"?"} else "the others"
        longer = "" if sure or messages[0].mixed else f"; a longer text tells {more}"
        return said_of_message(messages[0]) + longer
    if not messages:
        return None
    line = f"messages of {len(messages)} texts: {len(sure)} read whole"
    if sure:
        line += f", each wrong with probability <= {at_most(max(message.error for message in sure))}"
    return line + ("" if len(sure) == len(messages) else "; digits shown as ? are not sure")


def said_of_message(message: Message) -> str:
    """How sure one may be of the digits shown."""
    if message.mixed:
        return f"message {message.text}: parts of the text name different ones; --windows shows them"
    if message.is_sure:
        return f"message {message.text}: wrong with probability <= {at_most(message.error)}"
    shown = [error for digit, error in zip(message.text, message.errors, strict=True) if digit != "?"]
    if not shown:
        return f"message {message.text}: no digit is sure"
    return f"message {message.text}: a digit shown is wrong with probability <= {at_most(max(shown))}"


def at_most(bound: float) -> str:
    """A bound in one digit, rounded up."""
    return f"{float(_UP.create_decimal(repr(float(bound)))):.1g}"
