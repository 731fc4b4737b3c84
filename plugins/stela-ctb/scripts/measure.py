"""Measure a model: accuracy, and the time tagging takes.

    python scripts/measure.py --test TEST.conllu.xz --text DOCUMENTS.jsonl.gz [--model causal]

Times are of windows and documents of ``--text`` that were not tagged before; the best of three rounds.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

from stela_ctb.tagger import Ctb, CtbParameters

sys.path.insert(0, str(Path(__file__).parent))
from ctb_treebank import read_sentences
from measures import f1
from raw_text import read_texts

ROUNDS = 3
LAST = 3
"""Tags asked of a window: a context of k = 4."""


def seconds(work: Callable[[int], None]) -> float:
    """Best time of three rounds; each is given its number, to take other texts."""
    times = []
    for number in range(ROUNDS):
        began = time.perf_counter()
        work(number)
        times.append(time.perf_counter() - began)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="causal", help="as in ctb:MODEL")
    parser.add_argument("--test", type=Path, required=True, help="treebank, .conllu or .conllu.xz")
    parser.add_argument("--text", type=Path, required=True, help="documents, .jsonl.gz")
    arguments = parser.parse_args()
    ctb = Ctb(CtbParameters(model=arguments.model))
    test = read_sentences(arguments.test)
    gold = [{(tag, *span) for span, tag in zip(s.spans, s.tags, strict=True)} for s in test]
    mine = [set(map(tuple, tags)) for tags in ctb.tag([sentence.text for sentence in test])]
    print(f"words with tags, F1 {f1(gold, mine):.4f}")
    spans = [[{one[1:] for one in each} for each in both] for both in (gold, mine)]
    print(f"words, F1 {f1(*spans):.4f}")

    text = read_texts([arguments.text])
    chance = random.Random(1)
    for size, rows in ((1, 500), (8, 2000), (32, 4000), (1024, 8192)):
        ends = [chance.randrange(100, len(text)) for _ in range(ROUNDS * rows)]
        windows = [text[end - ctb.window : end] for end in ends]

        def tag(number: int, size: int = size, rows: int = rows, windows: list[str] = windows) -> None:
            mine = windows[number * rows : (number + 1) * rows]
            for start in range(0, rows, size):
                ctb.last_tags(mine[start : start + size], LAST)

        print(f"last_tags, batch {size}: {seconds(tag) / rows * 1e3:.3f} ms per window")
    share = min(100_000, len(text) // ROUNDS)
    documents = [text[number * share : (number + 1) * share].split("\n\n\n") for number in range(ROUNDS)]

    def tag_documents(number: int) -> None:
        ctb.tag(documents[number])

    def tag_unbroken(number: int) -> None:
        ctb.tag(["中" * 100_000])

    print(f"tag: {share / seconds(tag_documents):,.0f} characters/s")
    print(f"100,000 characters without a break: {seconds(tag_unbroken):.2f} s")


if __name__ == "__main__":
    main()
