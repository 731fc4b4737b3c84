"""Measure the causal model: agreement with Kiwi, both on a treebank, and the time that windows take.

    python scripts/measure.py --text DOCUMENTS.jsonl.gz [--treebank TEST.conllu.xz] [--model FOLDER]

Contexts are the last tags of windows of 5 words that end where a token of the embedded model (stela-tiny)
does, as a watermark meets them; ``--text`` has ``text``, or ``prompt`` and ``continuation``. Times are CPU's.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from stela_causal.word_files import read_model
from stela_causal.words import CausalWords
from stela_corpora.conllu_lines import read_conllu
from stela_sejong.tagger import Sejong, SejongParameters

import stela_core as stela
from stela_core.api import TokenBytes, backend_of, window_of

LAST = 3
"""Tags of a context of k = 4."""
TO_SEJONG = {"SSO": "SS", "SSC": "SS", "W_URL": "SL", "W_EMAIL": "SL", "W_HASHTAG": "SW", "W_MENTION": "SL",
             "W_SERIAL": "SN", "W_EMOJI": "SW", "SB": "SN"}  # fmt: skip
"""Kiwi's finer tags to those of the treebank."""
Tagging = Callable[[Sequence[str]], list[list[stela.Tag]]]


def read_texts(path: Path) -> list[str]:
    """Texts of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [row["text"] if "text" in row else f"{row['prompt']} {row['continuation']}" for row in rows]


def contexts_of(texts: Sequence[str], longest: int) -> list[str]:
    """Windows that end where the embedded model's tokens do."""
    backend = backend_of(stela.load_model("tiny")[1])
    tokens = TokenBytes.of(backend)
    windows = []
    for text in texts:
        ids = backend.encode(text[:longest], add_special_tokens=False).ids
        whole, ends = tokens.text_and_ends(ids)
        windows += [window_of(whole[:end], Sejong.window, Sejong.unit) for end in ends]
    return [window for window in dict.fromkeys(windows) if window.strip()]


def agreement(one: Sequence[tuple[str, ...]], other: Sequence[tuple[str, ...]]) -> dict[str, float]:
    """Shares of equal last tags, and of equal contexts."""
    pairs = list(zip(one, other, strict=True))
    shares = {f"the last {n}": sum(a[-n:] == b[-n:] for a, b in pairs) / len(pairs) for n in (1, 2, LAST)}
    at = {
        f"tag {-n}": sum(a[-n : -n + 1 or None] == b[-n : -n + 1 or None] for a, b in pairs) / len(pairs)
        for n in range(1, LAST + 1)
    }
    return {**shares, **at}


def on_treebank(path: Path, tag: Tagging) -> tuple[float, float]:
    """Shares of a treebank's words that get its tags, and of words that get as many tags."""
    right = same = total = 0
    for block in read_conllu(path):
        text, spans = "", []
        for row in (row for row in block.kept if row[0].isdigit()):
            spans.append((len(text), len(text) + len(row[1]), row[4].split("+")))
            text += row[1] + ("" if "SpaceAfter=No" in row[9] else " ")
        [tags] = tag([text.strip()])
        for start, end, gold in spans:
            mine = [TO_SEJONG.get(t.tag, t.tag) for t in tags if start <= t.start < end]
            right += mine == gold
            same += len(mine) == len(gold)
            total += 1
    return right / total, same / total


def milliseconds(work: Callable[[], object]) -> float:
    """CPU time."""
    began = time.process_time()
    work()
    return 1e3 * (time.process_time() - began)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, default=Path(__file__).parents[1] / "stela_sejong/causal/model")
    parser.add_argument("--text", type=Path, required=True, help="documents, .jsonl.gz")
    parser.add_argument("--texts", type=int, default=300, help="of so many of them")
    parser.add_argument("--treebank", type=Path, action="append", default=[], help=".conllu or .conllu.xz")
    arguments = parser.parse_args()
    size = sum(file.stat().st_size for file in arguments.model.iterdir())
    print(f"model: {size / 1e6:.2f} MB")
    kiwi, causal = Sejong(SejongParameters(threads=1)), CausalWords(read_model(arguments.model))
    windows = contexts_of(read_texts(arguments.text)[: arguments.texts], 600)
    theirs, mine = kiwi.last_tags(windows, LAST), causal.last_tags(windows, LAST)
    print(f"{len(windows)} contexts; equal to Kiwi's: " + ", ".join(
        f"{name} {share:.4f}" for name, share in agreement(mine, theirs).items()
    ))  # fmt: skip
    for path in arguments.treebank:
        for name, tag in (("Kiwi", kiwi.tag), ("causal", causal.tag)):
            right, same = on_treebank(path, tag)
            print(f"{path.name}, {name}: words with the treebank's tags {right:.4f}, with as many {same:.4f}")
    some = windows[:2_000]
    for name, last_tags in (("Kiwi", kiwi.last_tags), ("causal", causal.last_tags)):
        one = milliseconds(lambda f=last_tags: [f([window], LAST) for window in some])  # type: ignore[misc]
        many = milliseconds(lambda f=last_tags: [f(some[i : i + 64], LAST) for i in range(0, len(some), 64)])  # type: ignore[misc]
        print(f"{name}: {one / len(some):.3f} ms a window alone, {many / len(some):.3f} in a batch of 64")


if __name__ == "__main__":
    main()
