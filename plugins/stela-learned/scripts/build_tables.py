"""Learn the shipped tables again, and compress them.

    python scripts/build_tables.py --data DATA/corpora --written FOLDER --english MODEL --out TABLES

DATA/corpora holds ``{en,zh,ko}/*.jsonl.gz``. FOLDER holds ``LANGUAGE.jsonl``, unmarked text that the
reference model wrote on from those documents (``write_text.py``; for Chinese and Korean). MODEL reads the
English text besides the reference model: SmolLM2 135M (``make model NAME=smollm2-135m``). The whole takes
about two hours on 2 cores.
"""

from __future__ import annotations

import argparse
import lzma
import subprocess
import sys
import tempfile
from pathlib import Path

TAGGERS = {"en": "penn", "zh": "ctb", "ko": "sejong"}
QUANTITIES = {"en": "expected-gain", "zh": "spike-entropy", "ko": "spike-entropy"}
"""What was better for the language on text of the reference model."""
SMOOTHING = {"en": "10"}
"""Smoothing of languages for which another value than 3 was better (others were not tried)."""
SAMPLED = {"en": ("gumbel", "synthid"), "zh": ("synthid",), "ko": ()}
"""Tables for marks that choose tokens, learned from human text only, where they were seen to be better than
green lists' tables."""


def learn(out: Path, *options: str) -> None:
    """One table, learned by the command line and compressed."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.json"
        command = [sys.executable, "-m", "stela_cli", "lambda", "learn", *options, "-o", str(table)]
        subprocess.run(command, check=True)
        out.write_bytes(lzma.compress(table.read_bytes(), preset=9))
    print(f"{out}: {out.stat().st_size / 1e6:.2f} MB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--written", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--model", default="tiny")
    parser.add_argument("--english", help="a further model, for the table of English text")
    parser.add_argument("--workers", default="1")
    parser.add_argument("--languages", nargs="*", default=list(TAGGERS))
    args = parser.parse_args()
    for language in args.languages:
        corpora = sorted((args.data / language).glob("*.jsonl.gz"))
        by_tags = [part for corpus in corpora for part in ("--corpus", str(corpus))]
        by_text = list(by_tags)
        if args.written is not None and (written := args.written / f"{language}.jsonl").is_file():
            by_text += ["--corpus", str(written)]
        share = 1_500_000 if QUANTITIES[language] == "expected-gain" else 840_000
        common = ["--model", args.model, "--language", language, "--workers", args.workers]
        further = ["--model", args.english] if language == "en" and args.english is not None else []
        learn(
            args.out / f"text-{language}.json.xz",
            *(*common, *further, *by_text, "--quantity", QUANTITIES[language]),
            *("--max-tokens", str(share), "--least", "0.05", "--smoothing", SMOOTHING.get(language, "3")),
        )
        for kind in SAMPLED[language]:
            learn(
                args.out / f"{kind}-{language}.json.xz",
                *(
                    *common,
                    *by_tags,
                    "--quantity",
                    f"{kind}-gain",
                    "--max-tokens",
                    "150000",
                    "--least",
                    "0.05",
                ),
            )
        tagger = TAGGERS[language]
        learn(
            args.out / f"tags-{tagger}.json.xz",
            *(*common, *by_tags, "--tagger", tagger, "--max-tokens", "400000"),
        )


if __name__ == "__main__":
    main()
