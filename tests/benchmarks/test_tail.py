"""``python -m benchmarks tail`` on the prose that comes with Python."""

from __future__ import annotations

import argparse
import re

import pytest

from benchmarks import tail
from benchmarks.texts import Texts

pytestmark = pytest.mark.slow


def test_rows_and_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    args = argparse.Namespace(tests=4e4, seed=2026, schemes="kgw,unigram", languages="en,ko", data=None)
    tail.run(Texts(None), args)
    printed = capsys.readouterr().out
    assert "ko: no human text here" in printed
    rates, accepted = {}, {}
    for scheme, table in zip(
        ("kgw", "unigram"), printed.split("kgw, en")[1].split("unigram, en"), strict=True
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
    for scheme in ("kgw", "unigram"):
        assert 0.06 < rates[scheme, "random keys, over keys"][0] < 0.13
        assert rates[scheme, "worst ten keys, other half"][0] > 0.13
        # Of 97 documents a key is seldom shown to be good.
        own = rates.get((scheme, "accepted, other half, over keys"))
        assert (own is not None) == (accepted[scheme] > 0)
        assert own is None or own[0] < 0.1
