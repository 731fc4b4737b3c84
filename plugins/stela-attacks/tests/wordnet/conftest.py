"""A WordNet of a few words, in the files that NLTK reads."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest

FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
NUMBERS = {"n": 1, "v": 2, "a": 3, "r": 4}
LICENCE = "  1 A database for tests in the format of WordNet 3.0 Copyright nobody.  \n"


class Sense(NamedTuple):
    """A synset: its words, and how often each occurs in the tagged text."""

    pos: str
    words: dict[str, int]


SENSES = [
    Sense("n", {"city": 20, "metropolis": 2, "urban_center": 0}),
    Sense("n", {"town": 9, "city": 3}),
    Sense("n", {"man": 30, "gentleman": 1, "adult_male": 0}),
    Sense("n", {"box": 5, "crate": 1}),
    Sense("n", {"watch": 2, "ticker": 0}),
    Sense("v", {"watch": 8, "observe": 6, "see": 20}),
    Sense("v", {"stop": 7, "halt": 4, "cease": 2}),
    Sense("v", {"go": 40, "travel": 6, "move": 9}),
    Sense("a", {"big": 15, "large": 20}),
    Sense("r", {"quickly": 6, "rapidly": 3, "speedily": 0}),
    Sense("n", {"a": 0, "angstrom": 0}),
    Sense("n", {"Bayer": 0, "aspirin": 1}),
    Sense("n", {"river": 4}),
]
"""In each part of speech, the first sense of a word is its most frequent."""

EXCEPTIONS = {
    "n": {"men": "man", "gentlemen": "gentleman"},
    "v": {"went": "go", "gone": "go", "saw": "see", "seen": "see", "stopped": "stop", "stopping": "stop"},
    "a": {"bigger": "big"},
    "r": {},
}


@pytest.fixture(scope="session")
def wordnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the files."""
    folder = tmp_path_factory.mktemp("wordnet") / "wordnet"
    folder.mkdir()
    counts: dict[str, int] = {}
    for pos, name in FILES.items():
        data = LICENCE
        index: dict[str, list[int]] = defaultdict(list)
        for sense in (one for one in SENSES if one.pos == pos):
            offset = len(data)
            words = " ".join(f"{word} 0" for word in sense.words)
            data += f"{offset:08d} 00 {pos} {len(sense.words):02x} {words} 000 "
            data += "00 " if pos == "v" else ""
            data += "| a gloss  \n"
            for word, count in sense.words.items():
                index[word.lower()].append(offset)
                counts[f"{word.lower()}%{NUMBERS[pos]}:00:00::"] = count
        lines = [
            f"{word} {pos} {len(at)} 0 {len(at)} 0 {' '.join(f'{one:08d}' for one in at)}  \n"
            for word, at in sorted(index.items())
        ]
        (folder / f"data.{name}").write_text(data, encoding="utf-8")
        (folder / f"index.{name}").write_text(LICENCE + "".join(lines), encoding="utf-8")
        listed = [f"{form} {lemma}\n" for form, lemma in sorted(EXCEPTIONS[pos].items())]
        (folder / f"{name}.exc").write_text("".join(listed), encoding="utf-8")
    (folder / "lexnames").write_text("00\tall\t1\n", encoding="utf-8")
    ranked = [f"{key} 1 {count}\n" for key, count in sorted(counts.items()) if count]
    (folder / "cntlist.rev").write_text("".join(ranked), encoding="utf-8")
    return folder
