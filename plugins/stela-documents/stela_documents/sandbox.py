"""HTML, .docx and PDF are taken apart in a separate process, with an end to its time and memory.

Their parsers are large, and a file of a stranger may make one run for hours or fill the memory.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from stela_core import StelaError
from stela_core.api import require

SECONDS: dict[str, int] = {"html": 10, "docx": 20, "pdf": 60}
"""Seconds of processor time for one document."""

MEMORY = 512 << 20
"""Bytes that the process may use."""

LARGEST: dict[str, int] = {"html": 8 << 20, "docx": 64 << 20, "pdf": 64 << 20}
"""Bytes of one document: one with pictures is larger than its text."""

LIBRARIES: dict[str, str] = {"docx": "python-docx", "pdf": "pypdf"}

PDF_SECONDS = 5, 30
"""Seconds of processor time for a PDF: for any, and more for each MiB of it up to ``SECONDS``. A page of text
takes some 0.1 s and 3 KiB; a small file that takes longer has the same contents often, or unpacks to much."""

PATIENCE = 3
"""Factor on these seconds that is waited for: other processes want the processor, too."""


def require_library(kind: str) -> None:
    """Check that what reads this kind is installed.

    Raises:
        MissingLibraryError: it is not; with the pip command.
    """
    if kind in LIBRARIES:
        require(LIBRARIES[kind], f"reading .{kind}")


def seconds_for(kind: str, size: int) -> int:
    """Processor time, in seconds, for a document of ``size`` bytes."""
    if kind != "pdf":
        return SECONDS[kind]
    base, more = PDF_SECONDS
    return min(SECONDS[kind], base + (more * size >> 20))


def text_of_document(kind: str, data: bytes, name: str) -> str:
    """The text of a document.

    Raises:
        StelaError: it is not such a document, holds no text, or needs more time or memory than it may.
    """
    require_library(kind)
    isolated = ["-I", "-S"] if kind == "html" else ["-P"]  # HTML needs the standard library alone
    command = [sys.executable, *isolated, str(Path(__file__).with_name("sandbox_child.py"))]
    seconds = seconds_for(kind, len(data))
    command += [kind, str(seconds), str(MEMORY)]
    environment = {name: value for name, value in os.environ.items() if name != "STELA_KEY"}
    bounds = f"{seconds} s and {MEMORY >> 20} MiB"
    too_much = StelaError(f"{name} cannot be read within {bounds}.", "save it as plain text and test that")
    try:
        done = subprocess.run(
            command, input=data, capture_output=True, env=environment, timeout=PATIENCE * seconds
        )
    except subprocess.TimeoutExpired:
        raise too_much from None
    if done.returncode != 0:
        raise too_much
    answer: dict[str, str] = json.loads(done.stdout)
    if "error" in answer:
        raise StelaError(f"{name} {answer['error'].rstrip('.')}.", "save it as plain text and test that")
    return answer["text"]
