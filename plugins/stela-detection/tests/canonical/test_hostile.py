"""Texts made to take long: the canonical form is worked out in linear time, whatever they hold."""

from __future__ import annotations

import sys
import time
from types import FrameType
from typing import Any

import pytest
from stela_detection.canonical.form import canonical_text

HOSTILE = {
    "marks": "a" + "\u0301\u0316" * 500,
    "marks of two": "\u0344" * 1000,
    "jamo": "\u1100\u1161\u11a8\u1161" * 250,
    "backslashes": "\\" * 1000,
    "escapes": "\\u0041" * 167,
    "invalid escapes": "\\n\\x" * 250,
    "amp": "&" + "amp;" * 250,
    "ampersands": "&" * 1000,
    "digits": "&#" + "1" * 998,
    "quotes": "> " * 500,
    "spaces": " " * 1000,
    "spaces and breaks": " \n" * 500,
    "carriage returns": "\r" * 1000,
    "joiners": "\u0905\u200d" * 500,
    "soft hyphens": "\xad \n" * 333,
    "soft hyphens and quotes": "\xad\n" + "> " * 500,
    "black flags": "\U0001f3f4\U000e0041" * 500,
    "tags": "\U0001f3f4" + "\U000e0041" * 999,
    "look-alikes": "\u0430 " * 500,
    "mixed": "\u0430a" * 500,
    "lines": ("word " * 14 + "\n") * 14,
    "short lines": "a\n" * 500,
    "one long line": "a" * 1000,
    "Arabic": "\u0628\u0650 " * 333,
    "percent": "%20" * 333,
    "bare percents": "%%2" * 333,
    "plus": "%41" * 8 + "+" * 976,
    "equals": "= " * 500,
    "soft breaks": "=C3=A9=\n" * 125,
    "misread": "\xc3\xa9\xe4\xb8\xad" * 200,
    "begun": "\xe4\xb8" * 500,
    "JSON in JSON": "\\\\u4e2d" * 142,
    "spread": "a " * 500,
    "Chinese spread": "\u4e2d " * 500,
    "fillers": "\u3164a" * 500,
}


def grown(name: str, times: int) -> str:
    """A hostile text so many times over; what is one run stays one."""
    if name in ("amp", "digits", "tags", "marks", "soft hyphens and quotes"):
        return HOSTILE[name][:2] + HOSTILE[name][2:] * times
    return HOSTILE[name] * times


def lines_run(text: str) -> int:
    """Lines of Python that the canonical form takes: the same in every run."""
    count = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        canonical_text(text)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_work_is_linear(name: str) -> None:
    """Twenty times the text takes about twenty times the steps of Python; quadratic work, 400 times."""
    canonical_text(grown(name, 20))  # patterns are compiled once, at their first use
    assert lines_run(grown(name, 20)) <= 25 * lines_run(grown(name, 1))


@pytest.mark.deep(keep=["marks"])
@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_no_expression_is_quadratic(name: str) -> None:
    """What regular expressions do within one step is seen by processor time alone.

    Quadratic work takes 400 times as long in every try, whatever else the machine does; of linear work one
    of a few tries is near 20.
    """
    small, large = grown(name, 10), grown(name, 200)
    for _ in range(8):
        if seconds(large) < 80 * max(seconds(small), 0.001):
            return
    pytest.fail("twenty times the text takes more than eighty times as long")


def seconds(text: str) -> float:
    began = time.thread_time()
    canonical_text(text)
    return time.thread_time() - began
