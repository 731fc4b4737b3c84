"""Write ``web/tests/tags.json``: taggers with made-up networks, windows, and the tags that spaCy gives them.

    python plugins/stela-page/scripts/write_tag_vectors.py

The rules are those of the shipped English, Korean and Chinese pipelines; the networks' numbers are drawn by
the portable hash, so that they need not be written down, and every part of a word matters to them. Run it
with the pinned versions of Python and spaCy. With the shipped weights, ``scripts/parity_tags.py`` compares.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parent))
from parity_texts import documents, texts_of
from spacy.strings import get_string_id

import stela_core as stela
from stela_core.api import make_tagger, mix, window_of

OUT = Path(__file__).resolve().parents[1] / "web" / "tests" / "tags.json"
TAGGERS = ("penn", "ud-spacy:ko", "ud-spacy:zh")
WINDOWS = 150
COUNT = 3
BY_HAND = (
    *("", " ", "\n", "a  b", "(He said: \u201cdon't!\u201d) :-)", "x:) y", "http://a.example/b?c=d,"),
    *("e-mail/web 3.5km.", "DET NOUN dep 1/2 U.S.A.'s I\u2019d've", "o.O <3 =D (\u00ac_\u00ac)"),
    *("\u0130stanbul \u039f\u0394\u039f\u03a3 \u03a3\u03a3 \u00df", "a\u3000b\u00a0c\u2028d\x1ce"),
    *("\u2460\u00b2\u0663 12:30 10a.m. 5 km\u00b2", "a" * 230, "word" + "!" * 120, "\u00a0\u00a0\n \n"),
)


def made_up(seed: int, count: int) -> npt.NDArray[np.float32]:
    """Numbers in [-1, 1), whole multiples of 2**-11."""
    drawn = mix(np.uint64(seed * 0x9E3779B97F4A7C15 % 2**64), np.arange(count))
    return (drawn >> np.uint32(20)).astype(np.float32) / np.float32(2048) - np.float32(1)


def fill(tables: Any, mixed: Any, encoder: Any, output: Any, seed: int) -> int:
    """Give a network made-up numbers, in the order of a tagger's file; how many these are."""
    wanted = [(node, "E") for node in tables.walk() if node.name == "hashembed"]
    for layer in (mixed, *encoder.layers[0].layers):
        wanted += [(n, name) for n in layer.walk() if n.name == "maxout" for name in ("W", "b")]
        wanted += [(n, name) for n in layer.walk() if n.name == "layernorm" for name in ("G", "b")]
    wanted += [(output, "W"), (output, "b")]
    sizes = [node.get_param(name).size for node, name in wanted]
    drawn, done = made_up(seed, sum(sizes)), 0
    for (node, name), size in zip(wanted, sizes, strict=True):
        shape = node.get_param(name).shape
        node.set_param(name, np.ascontiguousarray(drawn[done : done + size].reshape(shape)))
        done += size
    return done


def disguised(spec: str) -> tuple[Any, list[list[int]]]:
    """A tagger with made-up numbers, and for each of its networks their seed and number."""
    tagger: Any = make_tagger(stela.create_registry(), spec)
    nlp = tagger._nlp
    tok2vec, output = nlp.get_pipe(nlp.pipe_names[-1]).model.layers
    embed, encode = tok2vec.layers
    drawn = [[1, fill(embed.layers[2], embed.layers[3], encode, output.layers[0], 1)]]
    if spec.endswith(":zh"):
        segmenter = nlp.tokenizer
        tables, mixed, encoder, last = segmenter.model.layers
        drawn.append([2, fill(tables.layers[0], mixed.layers[0], encoder, last.layers[0], 2)])
        segmenter.set_model(segmenter.model, segmenter._settings)
    return tagger, drawn


def windows_of(tagger: stela.Tagger) -> list[str]:
    """Windows of the project's own sample, of hostile text and by hand."""
    rng = random.Random(7)
    texts = [*documents(tagger.language, None), *(text for _, text in texts_of(60, None, 5) if text)]
    windows = list(BY_HAND)
    while len(windows) < WINDOWS:
        text = rng.choice(texts)
        windows.append(window_of(text[: rng.randrange(len(text) + 1)], tagger.window, tagger.unit))
    return windows


def content() -> dict[str, Any]:
    """What the file holds."""
    characters: dict[str, Any] = {}
    vectors = []
    for spec in TAGGERS:
        tagger, drawn = disguised(spec)
        head = json.loads(tagger.portable().partition(b"\n")[0])
        characters |= head.pop("characters")
        windows = windows_of(tagger)
        tags = [[tag.tag for tag in each][-COUNT:] for each in tagger.tag(windows)]
        vectors.append({"head": head, "numbers": drawn, "windows": windows, "tags": tags})
    return {
        "count": COUNT,
        "characters": characters,
        "taggers": vectors,
        "strings": [[text, str(get_string_id(text))] for text in BY_HAND if text],
        "rows": rows_of_ids(),
        "starts": starts_of_windows(),
    }


def rows_of_ids() -> list[list[Any]]:
    """Rows that thinc gives to numbers."""
    from thinc.api import NumpyOps

    ids = np.array([0, 1, 2**64 - 1, 0x9E3779B97F4A7C15, 12345678901234567], dtype=np.uint64)
    return [
        [str(one), seed, size, (rows % size).tolist()]
        for seed, size in ((8, 2000), (11, 1000))
        for one, rows in zip(ids.tolist(), NumpyOps().hash(ids, seed), strict=True)
    ]


def starts_of_windows() -> list[dict[str, Any]]:
    """Starts of the windows of texts; places are in UTF-16 units."""
    cases: list[tuple[int, Literal["word", "character"]]] = [(1, "word"), (6, "word"), (3, "character")]
    vectors = []
    for text in (*BY_HAND, "\U0001f600 " * 9 + "\U0001f468" * 40, "  in front", "a" * 90 + " b"):
        units = [len(text[:n].encode("utf-16-le")) // 2 for n in range(len(text) + 1)]
        for window, unit in cases:
            ends = range(0, len(text) + 1, max(1, len(text) // 40))
            starts = [end - len(window_of(text[:end], window, unit)) for end in ends]
            said = {"ends": [units[n] for n in ends], "starts": [units[n] for n in starts]}
            vectors.append({"text": text, "window": window, "unit": unit, **said})
    return vectors


if __name__ == "__main__":
    OUT.write_text(
        json.dumps(content(), ensure_ascii=False, separators=(",", ":"), sort_keys=True) + "\n",
        encoding="utf-8",
    )
