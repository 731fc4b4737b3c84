"""What Kiwi says of raw text: the morphemes that begin at each character, and at the ends of cut texts."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from stela_causal.code_points import Ids, code_points
from stela_sejong import Sejong

import stela_core as stela
from stela_core.api import window_of

SEEN = 7
"""Last characters of a cut text whose labels are kept."""
ONE_IN = 5
"""Number of characters of which one is the last of a text that is cut there."""
NO_LABEL = -1
AT_ONCE = 2_000
"""Windows that Kiwi is given in one call."""

Label = tuple[str, ...]
"""Tags of the morphemes that begin at a character: none, mostly one, several where they share a syllable."""


class Silver(NamedTuple):
    """Documents one behind the other, as Kiwi tags them."""

    points: Ids
    """(n,) code points."""
    starts: Ids
    """(documents + 1,) where each begins; the last is n."""
    labels: Ids
    """(n,) number of the label of each character, of the whole document; ``NO_LABEL`` for white space."""
    ends: Ids
    """(m,) last characters of texts that are cut."""
    end_labels: Ids
    """(m, SEEN) labels of the last characters of such a text, the last one first."""
    names: list[Label]
    """The labels."""


def read_documents(paths: Iterable[Path]) -> list[str]:
    """The texts of JSON lines."""
    texts: list[str] = []
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            texts += [json.loads(line)["text"] for line in file]
    return texts


def labels_of(text: str, tags: Sequence[stela.Tag]) -> list[Label | None]:
    """The label of each character; ``None`` for white space."""
    begin: list[Label] = [()] * len(text)
    for tag in tags:
        if tag.start < len(text):
            begin[tag.start] += (tag.tag,)
    return [None if char.isspace() else label for char, label in zip(text, begin, strict=True)]


def silver_of(texts: Sequence[str], tagger: Sejong, seed: int) -> Silver:
    """Kiwi's tags of documents, and of windows of ``sejong`` that end anywhere in them."""
    chance = random.Random(seed)
    numbers: dict[Label | None, int] = {None: NO_LABEL}

    def number(label: Label | None) -> int:
        return numbers.setdefault(label, len(numbers) - 1)

    labels: list[int] = []
    ends: list[int] = []
    windows: list[str] = []
    starts = [0]
    for text, tags in zip(texts, tagger.tag(texts), strict=True):
        labels += map(number, labels_of(text, tags))
        for end in range(1, len(text) + 1):
            if chance.randrange(ONE_IN) == 0 and not text[end - 1].isspace():
                ends.append(starts[-1] + end - 1)
                windows.append(window_of(text[:end], Sejong.window, Sejong.unit))
        starts.append(starts[-1] + len(text))
    end_labels = np.full((len(ends), SEEN), NO_LABEL)
    for first in range(0, len(windows), AT_ONCE):
        some = windows[first : first + AT_ONCE]
        for row, (window, tags) in enumerate(zip(some, tagger.tag(some), strict=True), first):
            last = labels_of(window, tags)[: -SEEN - 1 : -1]
            end_labels[row, : len(last)] = [number(label) for label in last]
    names = [label for label in numbers if label is not None]
    points = np.concatenate([code_points(text) for text in texts])
    return Silver(points, np.array(starts), np.array(labels), np.array(ends), end_labels, names)


def keep(path: Path, parts: Sequence[Silver]) -> None:
    """Write what Kiwi said, without the texts."""
    arrays = {
        f"{number}.{name}": getattr(part, name)
        for number, part in enumerate(parts)
        for name in ("labels", "ends", "end_labels")
    }
    for number, part in enumerate(parts):
        arrays[f"{number}.names"] = np.array(["+".join(name) for name in part.names])
    np.savez_compressed(path, **arrays)


def kept(path: Path, parts: Sequence[Sequence[str]]) -> list[Silver]:
    """What :func:`keep` wrote of the same texts."""
    silvers = []
    with np.load(path, allow_pickle=False) as file:
        for number, texts in enumerate(parts):
            starts = np.cumsum([0, *map(len, texts)])
            names = [tuple(name.split("+")) if name else () for name in file[f"{number}.names"].tolist()]
            labels, ends, end_labels = (file[f"{number}.{name}"] for name in ("labels", "ends", "end_labels"))
            points = np.concatenate([code_points(text) for text in texts])
            silvers.append(Silver(points, starts, labels, ends, end_labels, names))
    return silvers
