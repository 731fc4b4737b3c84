"""Write ``web/tests/tags.json``: causal taggers of random weights, windows, and Python's tags of them.

    python plugins/stela-page/scripts/write_tag_vectors.py

With the shipped weights, ``scripts/parity_tags.py`` compares.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from base64 import b64encode
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "stela-causal" / "tests"))
from parity_tags import Windowed, in_units
from parity_texts import documents, texts_of

import stela_core as stela
from stela_core.api import window_of

OUT = Path(__file__).resolve().parents[1] / "web" / "tests" / "tags.json"
COUNT = 3
BY_HAND = (
    *("", " ", "\n", "a  b", "(He said: \u201cdon't!\u201d) :-)", "x:) y", "http://a.example/b?c=d,"),
    *("e-mail/web 3.5km.", "DET NOUN dep 1/2 U.S.A.'s I\u2019d've", "o.O <3 =D (\u00ac_\u00ac)"),
    *("\u0130stanbul \u039f\u0394\u039f\u03a3 \u03a3\u03a3 \u00df", "a\u3000b\u00a0c\u2028d\x1ce"),
    "\uac00\ub098\u1112\u1161\u11ab \ub2e4\uac00 \ub0d0a a1\ub098\r\n\ub2e4",
    *("\U0001f600 \U0001f468\u200d\U0001f469 \U00020000\uac00\ub098", "abel" * 40, "e\u0301" * 60),
)


def content() -> dict[str, Any]:
    """What the file holds."""
    rng = random.Random(7)
    other = [text for _, text in texts_of(60, None, 5) if text]
    texts = [*BY_HAND, *rng.sample(documents("en", None), 4), *rng.sample(other, 20)]
    shapes = import_module("random_model").SHAPES
    first, *others = (vectors_of(shape, texts[:: 1 + 2 * number], rng) for number, shape in enumerate(shapes))
    return {"count": COUNT, **first, "others": others, "starts": starts_of_windows()}


def vectors_of(shape: Any, texts: list[str], rng: random.Random) -> dict[str, Any]:
    """A tagger of random weights and windows of texts with its tags."""
    with tempfile.TemporaryDirectory() as folder:
        tagger: stela.Tagger = import_module("random_model").tagger_in(Path(folder), shape)
        windowed = [windows_of(tagger, text[:400], rng) for text in texts]
        return {
            "tagger": b64encode(tagger.portable() or b"").decode(),
            "texts": [
                {**in_units(one), "tags": [last_tags(tagger, one, end) for end in range(len(one.ends))]}
                for one in windowed
            ],
        }


def windows_of(tagger: stela.Tagger, text: str, rng: random.Random) -> Windowed:
    """A text with some windows of the tagger's."""
    ends = sorted({len(text), *(rng.randrange(len(text) + 1) for _ in range(8))})
    starts = [end - len(window_of(text[:end], tagger.window, tagger.unit)) for end in ends]
    return Windowed(text, starts, ends)


def last_tags(tagger: stela.Tagger, one: Windowed, number: int) -> list[str]:
    """The last tags of a window, all of which is tagged by itself."""
    [tags] = tagger.tag([one.text[one.starts[number] : one.ends[number]]])
    return [tag.tag for tag in tags][-COUNT:]


def starts_of_windows() -> list[dict[str, Any]]:
    """Starts of the windows of texts; places are in UTF-16 units."""
    cases: list[tuple[int, Literal["word", "character"]]] = [(1, "word"), (6, "word"), (3, "character")]
    vectors = []
    for text in (*BY_HAND, "\U0001f600 " * 9 + "\U0001f468" * 40, "  in front", "a" * 90 + " b"):
        for window, unit in cases:
            ends = list(range(0, len(text) + 1, max(1, len(text) // 40)))
            starts = [end - len(window_of(text[:end], window, unit)) for end in ends]
            vectors.append({**in_units(Windowed(text, starts, ends)), "window": window, "unit": unit})
    return vectors


if __name__ == "__main__":
    OUT.write_text(
        json.dumps(content(), ensure_ascii=False, separators=(",", ":"), sort_keys=True) + "\n",
        encoding="utf-8",
    )
