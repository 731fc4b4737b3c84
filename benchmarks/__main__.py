"""``python -m benchmarks [PART ...] [--data DIR]``: what docs/benchmarks.md reports.

``--data`` is a folder with ``corpora/{en,zh,ko}/*.jsonl.gz`` of human documents (a ``text`` a line). Without
it, English is the prose of Python's language reference, which every Python has, and Chinese and Korean are
written by the embedded model without a mark.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks import (
    building,
    canonical,
    cold,
    detection,
    fixed_key,
    generation,
    gumbel,
    insertion,
    interop,
    learning,
    llamacpp_serving,
    many_keys,
    message_null,
    messages,
    model_step,
    null_kinds,
    null_sentences,
    ray_nodes,
    runs,
    schemes,
    serving,
    state,
    synthid,
    tagged_detection,
    tagging,
    tail,
    vllm_serving,
    windows,
)
from benchmarks.genres import GENRES
from benchmarks.texts import Texts

PARTS = {
    "cold": cold.run,
    "insertion": insertion.run,
    "messages": messages.run,
    "state": state.run,
    "schemes": schemes.run,
    "generation": generation.run,
    "model-step": model_step.run,
    "detection": detection.run,
    "many-keys": many_keys.run,
    "tagged-detection": tagged_detection.run,
    "canonical": canonical.run,
    "message-null": message_null.run,
    "null-kinds": null_kinds.run,
    "null-sentences": null_sentences.run,
    "tail": tail.run,
    "fixed-key": fixed_key.run,
    "windows": windows.run,
    "interop": interop.run,
    "synthid": synthid.run,
    "gumbel": gumbel.run,
    "runs": runs.run,
    "tagging": tagging.run,
    "building": building.run,
    "ray": ray_nodes.run,
    "learning": learning.run,
    "serving": serving.run,
    "vllm-serving": vllm_serving.run,
    "llamacpp-serving": llamacpp_serving.run,
}

LARGE = {"vllm-serving", "llamacpp-serving"}
"""Parts that fetch or need gigabytes: only where they are named."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help="default: all but the last two")
    parser.add_argument("--data", type=Path, help="folder of human text")
    parser.add_argument("--tests", type=float, default=1e7, help="documents x keys of a row of tail")
    parser.add_argument("--schemes", default="kgw,stela,unigram", help="of tail; also sweet, ewd (slow)")
    parser.add_argument("--seed", type=int, default=2026, help="of the keys of tail")
    parser.add_argument("--languages", default="en,zh,ko", help="of tail, windows and canonical")
    parser.add_argument("--genres", default=",".join(GENRES), help="of fixed-key")
    parser.add_argument("--tokenizer", type=Path, help="of fixed-key: a tokenizer.json instead of tiny's")
    parser.add_argument("--mark", help="of fixed-key: another scheme, such as unigram; its rates only")
    parser.add_argument("--rates-only", action="store_true", help="fixed-key: without what shrinks the shift")
    parser.add_argument(
        "--model", help="alias, folder or name of another model: of model-step, cold and the last two"
    )
    parser.add_argument(
        "--taggers",
        default="kgw,penn,ud-spacy:en,ud-spacy:ko,ud-spacy:zh,sejong,sejong:causal,ctb,ctb:causal",
        help="of tagged-detection",
    )
    parser.add_argument("--insertion", help="of insertion: kgw and taggers, instead of all")
    parser.add_argument("--many", type=int, default=1000, help="texts of a call of tagged-detection")
    parser.add_argument("--texts", type=int, default=100_000, help="of runs: at most so many")
    parser.add_argument("--rounds", type=int, default=5, help="of the last two")
    parser.add_argument("--clients", type=int, default=200, help="of serving")
    parser.add_argument("--seconds", type=float, default=60, help="of serving")
    args = parser.parse_args()
    texts = Texts(args.data)
    for name in args.parts or [part for part in PARTS if part not in LARGE]:
        print(f"\n== {name} ==", flush=True)
        PARTS[name](texts, args)


if __name__ == "__main__":
    main()
