"""A local plugin for the tests: words tagged by their first letter; ``!dies`` ends the process."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

import stela_core as stela


class Letters(stela.Tagger):
    name = "letters"
    language = "en"
    tagset = "letters"

    def __init__(self, parameters: stela.Parameters | None = None) -> None:
        self.parameters = parameters

    @property
    def model(self) -> str:
        return "none"

    @property
    def version(self) -> str:
        return "1"

    def tag(self, texts: Sequence[str]) -> list[list[stela.Tag]]:
        if any("!dies" in text for text in texts):
            os._exit(1)
        if any("!raises" in text for text in texts):
            raise IndexError("no such word")
        return [[stela.Tag(m.group()[0], *m.span()) for m in re.finditer(r"\w+|[.]", text)] for text in texts]


class Unavailable(Letters):
    name = "letters-unavailable"

    @classmethod
    def status(cls) -> stela.Status:
        return stela.Status(False, "pip install letters")


@stela.hookimpl
def stela_register_taggers() -> list[type[stela.Tagger]]:
    return [Letters, Unavailable]
