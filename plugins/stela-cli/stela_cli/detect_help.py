"""The help of ``stela detect``: its options under headings."""

from __future__ import annotations

from types import MappingProxyType

from stela_cli.group import Sectioned


class Detect(Sectioned):
    """The command, whose options are many."""

    sections = MappingProxyType(
        {
            "Marks": "--profile --profiles --key-file --keys --written-between --messages --allow-lenient",
            "Texts": "--format --column --prompts --windows --as-it-is",
            "Results": "--json --csv --parquet --html --force --tokens --quiet --exit-code",
            "How to test": "--tagger --model --surrogate --device --scoring --workers --executor",
        }
    )
