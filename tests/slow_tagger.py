"""A local plugin for tests of workers: slow, and it leaves a file for each process and text it tagged."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from pathlib import Path

import stela_core as stela

FOLDER = Path(os.environ.get("STELA_TEST_FOLDER", "."))


class Slow(stela.Tagger):
    name = "slow"
    language = "en"
    tagset = "letters"
    model = version = "1"

    def __init__(self, parameters: stela.Parameters | None = None) -> None:
        (FOLDER / f"{os.getpid()}.started").touch()

    def tag(self, texts: Sequence[str]) -> list[list[stela.Tag]]:
        if any("!dies" in text for text in texts):
            os._exit(1)
        if any("!raises" in text for text in texts):
            raise IndexError("no such word")
        time.sleep(0.02 * len(texts))
        return [[stela.Tag(m.group()[0], *m.span()) for m in re.finditer(r"\w+", text)] for text in texts]


@stela.hookimpl
def stela_register_taggers() -> type[stela.Tagger]:
    return Slow
