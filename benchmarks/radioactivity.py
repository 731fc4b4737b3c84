"""How much of a mark a model learns from training text of which a share has it: ``stela trace``.

``python -m benchmarks.radioactivity train --first-key 1 --keys 2 -o runs.jsonl`` appends a line for each key
and share: ``tiny-small`` writes texts with and without the mark, a copy is trained on them, and both forms of
the test are applied. ``python -m benchmarks.radioactivity show runs.jsonl`` prints the table. A key takes
3 minutes of a core.

Closed: the copy writes after other prompts, which are human text. Open: it reads marked texts of the key,
first those that it was trained on. In the row of share 0 it was trained on none.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import defaultdict
from itertools import chain
from pathlib import Path
from time import process_time

import numpy as np
from stela_audit.radioactivity.fine_tune import fine_tuned
from stela_audit.radioactivity.suspect import Writing, answers
from stela_audit.radioactivity.trace import trace_answers, trace_open
from stela_corpora import TextSource
from stela_models.generation.generate import Sampling, generate
from stela_models.load import load_model

import stela_core as stela

SHARES = (0.0, 0.01, 0.05, 0.2)
EPOCHS = 3
FORMS = "closed", "open"
SETTING = "scheme", "delta", "texts", "tokens", "key", "share"
NUMBERS = "p_value", "z", "unique_pairs"
"""Columns of the file of ``show --csv``."""
READ = 200
"""Marked texts that the model reads in the open form."""


def prompts_of(registry: stela.Registry) -> list[str]:
    """Four words each, from the English sample, in a fixed shuffled order."""
    source = Path(registry.get(TextSource, "sample").location("en"))
    rows = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    words = [f"{row['prompt']} {row['continuation']}".split() for row in rows]
    prompts = [" ".join(text[at : at + 4]) for text in words for at in range(0, len(text) - 4, 6)]
    np.random.default_rng(0).shuffle(prompts)
    return prompts


def train(arguments: argparse.Namespace) -> None:
    """Append a line for each key and share."""
    registry = stela.create_registry()
    model, prompts = load_model(registry, "tiny-small", device="cpu"), prompts_of(registry)
    count, length = arguments.texts, arguments.tokens
    before, after = prompts[:count], prompts[count : 2 * count]
    plain = answers(model, before, Writing(length, seed=1, batch_size=60))
    for key in range(arguments.first_key, arguments.first_key + arguments.keys):
        watermark = stela.create(
            arguments.scheme,
            model="tiny-small",
            language="en",
            key=int(np.random.default_rng(key).integers(1, 2**63)),
            delta=arguments.delta,
            registry=registry,
        )
        most = max(READ, round(max(arguments.shares) * count))
        batches = generate(watermark, model, before[:most], Sampling(length, length, seed=2), 60)
        marked = list(chain.from_iterable(batches))
        for share in arguments.shares:
            began, taken = process_time(), round(share * count)
            rows = [text.token_ids for text in marked[:taken]] + [row.tolist() for row in plain[taken:]]
            suspect = fine_tuned(model, rows, epochs=EPOCHS)
            writing = Writing(length, seed=3, batch_size=60)
            closed = trace_answers(watermark, suspect, after, writing, unmarked=True)
            opened = trace_open(watermark, suspect, [text.text for text in marked[:READ]])
            line = {
                "scheme": arguments.scheme,
                "delta": arguments.delta,
                "key": key,
                "share": share,
                "texts": count,
                "tokens": length,
                "closed": closed.to_dict(),
                "open": opened.to_dict(),
                "seconds": round(process_time() - began, 1),
            }
            with arguments.output.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
            print(f"key {key} share {share}: {closed.p_value:.2g} {opened.p_value:.2g} {line['seconds']} s")


def show(arguments: argparse.Namespace) -> None:
    """Print the table: medians over keys of -log10 p, and how many keys were traced."""
    by_share = defaultdict(list)
    lines = [json.loads(text) for file in arguments.runs for text in file.read_text("utf-8").splitlines()]
    for line in lines:
        by_share[line["share"]].append(line)
    if arguments.csv is not None:
        with arguments.csv.open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow([*SETTING, *(f"{form}: {name}" for form in FORMS for name in NUMBERS)])
            for line in lines:
                numbers = (f"{line[form][name]:.5g}" for form in FORMS for name in NUMBERS)
                rows.writerow([*(line[name] for name in SETTING), *numbers])
    print("| marked share of the training text | keys | closed | traced | open | traced |")
    print("| --- | --- | --- | --- | --- | --- |")
    for share, of_share in sorted(by_share.items()):
        cells = [f"{share:.0%}", str(len(of_share))]
        for form in FORMS:
            logs = sorted(-np.log10([line[form]["p_value"] for line in of_share]))
            cells.append(f"{np.median(logs):.1f} [{logs[0]:.1f}, {logs[-1]:.1f}]")
            cells.append(str(sum(line[form]["traced"] for line in of_share)))
        print(f"| {' | '.join(cells)} |")
    for form in FORMS:
        pairs = np.median([line[form]["unique_pairs"] for line in lines])
        print(f"{form}: {pairs:,.0f} distinct pairs (median)")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.radioactivity",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    training, showing = commands.add_parser("train"), commands.add_parser("show")
    training.add_argument("--scheme", default="kgw")
    training.add_argument("--delta", type=float, default=2.0)
    training.add_argument("--first-key", type=int, default=1)
    training.add_argument("--keys", type=int, default=1)
    training.add_argument("--texts", type=int, default=600)
    training.add_argument("--tokens", type=int, default=100)
    training.add_argument("--shares", type=float, nargs="+", default=SHARES)
    training.add_argument("-o", "--output", type=Path, required=True)
    showing.add_argument("--csv", type=Path, help="file for the figures of each key")
    showing.add_argument("runs", type=Path, nargs="+")
    arguments = parser.parse_args()
    {"train": train, "show": show}[arguments.command](arguments)


if __name__ == "__main__":
    main()
