"""``python -m benchmarks [PART ...] [--data DIR]``: what docs/benchmarks.md reports.

``--data`` is a folder with ``corpora/{en,zh,ko}/*.jsonl.gz`` of human documents (a ``text`` a line). Without
it, English is the prose of Python's language reference, which every Python has, and Chinese and Korean are
written by the embedded model without a mark.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

from benchmarks.genres import GENRES
from benchmarks.texts import Texts

PARTS = {
    "cold": "cold",
    "insertion": "insertion",
    "messages": "messages",
    "state": "state",
    "schemes": "schemes",
    "generation": "generation",
    "model-step": "model_step",
    "detection": "detection",
    "many-keys": "many_keys",
    "tagged-detection": "tagged_detection",
    "canonical": "canonical",
    "message-null": "message_null",
    "null-kinds": "null_kinds",
    "null-sentences": "null_sentences",
    "tail": "tail",
    "fixed-key": "fixed_key",
    "windows": "windows",
    "interop": "interop",
    "synthid": "synthid",
    "gumbel": "gumbel",
    "runs": "runs",
    "run-workers": "run_workers",
    "tagging": "tagging",
    "building": "building",
    "ray": "ray_nodes",
    "learning": "learning",
    "serving": "serving",
    "vllm-serving": "vllm_serving",
    "llamacpp-serving": "llamacpp_serving",
}
"""Modules by part; one is imported where it is asked for: together they need torch and five seconds."""

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
        default="kgw,penn,penn:causal,ud-spacy:en,ud-spacy:ko,ud-spacy:zh,sejong,sejong:causal,ctb,ctb:causal",
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
        import_module(f"benchmarks.{PARTS[name]}").run(texts, args)


if __name__ == "__main__":
    main()
