"""The help of ``stela detect``: its example, and the headings of its options."""

from __future__ import annotations

EXAMPLE = "\b\nExample:\n  stela detect --profile p.stela essay.txt"

SECTIONS = {
    "Marks": "--profile --profiles --key-file --keys --written-between --messages --allow-lenient",
    "Texts": "--format --column --prompts --windows --as-it-is",
    "Results": "--json --csv --parquet --html --force --tokens --quiet --exit-code",
    "How to test": "--tagger --model --surrogate --device --scoring --workers --executor",
}
