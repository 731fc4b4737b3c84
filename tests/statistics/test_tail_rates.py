"""``python -m benchmarks tail`` on the prose that comes with Python."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.deep(stand_in="tests/statistics/test_p_value.py::test_p_values_are_valid"),
    pytest.mark.slow,
    pytest.mark.once,
]

ROOT = Path(__file__).parents[2]
ASKED = ("--tests", "4e4", "--schemes", "kgw,unigram,stela", "--languages", "en,ko")


def test_rows_and_their_order() -> None:
    command = [sys.executable, "-m", "benchmarks", "tail", *ASKED]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "ko: no human text here" in printed
    assert printed.count("look-ups equal the scorer's p-values under 20 keys") == 3
    rates, accepted = {}, {}
    for scheme, table in zip(
        ("kgw", "unigram", "stela"), re.split(r"^\w+, en: ", printed, flags=re.MULTILINE)[1:], strict=True
    ):
        [count] = re.findall(r"accepted on one half of the documents: (\d+) of \d+ keys", table)
        accepted[scheme] = int(count)
        for line in table.splitlines():
            found = re.findall(r"([\d.e+-]+) \[([\d.e+-]+), ([\d.e+-]+)\]", line)
            if found:
                numbers = [tuple(map(float, cell)) for cell in found]
                assert len(numbers) == 5
                assert all(low <= rate <= high for rate, low, high in numbers)
                rates[scheme, line[2:44].strip()] = [rate for rate, _, _ in numbers]
    for scheme in ("kgw", "unigram", "stela"):
        assert 0.06 < rates[scheme, "random keys, over keys"][0] < 0.13
        assert rates[scheme, "worst ten keys, other half"][0] > 0.13
        # Of 97 documents a key is seldom shown to be good.
        own = rates.get((scheme, "accepted, other half, over keys"))
        assert (own is not None) == (accepted[scheme] > 0)
        assert own is None or own[0] < 0.1
