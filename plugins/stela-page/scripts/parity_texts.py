"""Texts to compare detectors on: human text, what copying makes of it, hostile text."""

from __future__ import annotations

import gzip
import json
import quopri
import random
import re
import urllib.parse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

SAMPLE = Path(__file__).resolve().parents[2] / "stela-corpora" / "stela_corpora" / "sample" / "texts"
WORDS = Path(__file__).resolve().parents[1] / "web" / "words"
LANGUAGES = ("en", "zh", "ko")

INSERTED = (
    *(
        "\u00a0",
        "\u200b",
        "\u00ad",
        "&amp;",
        "&nbsp;",
        "&#x41;",
        "&bogus;",
        "\\n",
        "\\u00e9",
        "\\",
        "\u202e",
        "\ufe0f",
    ),
    *(
        "\u200d",
        "> ",
        "\r\n",
        "  ",
        "\u0430",
        "\u0435",
        "\u0410",
        "\U0001d400",
        "\uff21",
        "e\u0301",
        "\u0301" * 35,
    ),
    *(
        "\u1100\u1161",
        "\u0f71\u0f72",
        "\n> ",
        " \n",
        "\u2028",
        "\u3000",
        "-\n",
        "\u2460",
        "\u0661",
        "\ufeff",
        "\u0085",
    ),
    *(
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\U0001f3f4\U000e0067\U000e007f",
        "\u05d0\u200f",
        "<|end|>",
        "\u017f",
    ),
)
"""What copying, pasting, other alphabets and mischief put into a text."""

POOLS: tuple[Sequence[int], ...] = (
    range(0x20, 0x7F),
    range(0x300, 0x370),
    range(0x590, 0x700),
    range(0x900, 0xA00),
    range(0x1100, 0x1200),
    range(0x2000, 0x2100),
    range(0x2460, 0x24FF),
    range(0x3000, 0x3200),
    range(0xAC00, 0xAD00),
    range(0x1D400, 0x1D800),
    range(0x1F300, 0x1FB00),
    [*range(0xD800), *range(0xE000, 0x110000)],
)
"""Code points that made-up text is drawn from, a pool a text."""

FIXED = (
    "",
    " ",
    "a",
    "\n\n\n",
    "a" * 5000,
    " " * 3000,
    "\n" * 2000,
    "ab " * 2000,
    "the same line again.\n" * 150,
    "e\u0301" * 1500,
    "a\u0301\u0316" * 500,
    "\u0301" * 300,
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466" * 40,
    "\u202e\u05d0\u05d1\u05d2\u202c " * 60,
    "x" + "\u200b" * 1000 + "y",
    "<|end|><|endoftext|><bos>\u2581\u2581 <unused5>  [multimodal] <0x41>",
    "1234567890 " * 100 + "\u0661\u0662\u2460\u2461\u00bd",
    "it's we'LL I'\u017f don\u2019t 'Ve 'RE",
    "\\u0041\\n" * 50,
    "&amp;amp;lt;" * 50,
)
SENT: tuple[Callable[[str], str], ...] = (
    urllib.parse.quote,
    urllib.parse.quote_plus,
    lambda text: quopri.encodestring(text.encode()).decode(),
    lambda text: text.encode().decode("latin-1"),
    lambda text: text.encode().decode("cp1252", "replace"),
    lambda text: json.dumps(json.dumps(text)),
    lambda text: " ".join(text),
    lambda text: re.sub("(?<=[\u3001-\uff60])(?=[\u3001-\uff60])", " ", text),
    lambda text: "".join(c + UNSEEN[n % len(UNSEEN)] for n, c in enumerate(text)),
    lambda text: text.replace(" ", "\u3164"),
    str.upper,
    lambda text: text.upper().replace(" ", "\xa0"),
)
"""What is undone where a whole text shows it."""
UNSEEN = "\u034f\u115f\u180b\u3164\ufe00\uffa0\ufff0\ufffc\U0001bca0\U0001d173\U000e0fff"
SURROGATES = ("\ud800", "text with half a character \udc00 in it", "\ud83d")
"""Refused, here and there."""


def documents(language: str, data: Path | None) -> list[str]:
    """Texts of a language: of a folder of corpora where it has some, else the project's sample, or page."""
    if data is None or not (data / "corpora" / language).is_dir():
        if not (SAMPLE / f"{language}.jsonl").exists():
            said = json.loads((WORDS / f"{language}.json").read_text(encoding="utf-8"))
            return [" ".join(strings_of(said))]
        lines = (SAMPLE / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
        return [f"{one['prompt']}{one['continuation']}" for one in map(json.loads, lines)]
    texts: list[str] = []
    for path in sorted((data / "corpora" / language).glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines_of:
            texts += [json.loads(line)["text"] for line, _ in zip(lines_of, range(400), strict=False)]
    return texts


def strings_of(said: Any) -> Iterator[str]:
    """All that a file of words says."""
    if isinstance(said, str):
        yield said
    else:
        for one in said.values():
            yield from strings_of(one)


def texts_of(count: int, data: Path | None, seed: int) -> list[tuple[str, str]]:
    """Texts, each with what it is; equal arguments give equal texts."""
    rng = random.Random(seed)
    by_language = {language: documents(language, data) for language in LANGUAGES}
    kinds: list[tuple[str, Callable[[], str]]] = [
        *((language, lambda language=language: cut(rng, by_language[language])) for language in LANGUAGES),
        ("copied", lambda: copied(rng, cut(rng, by_language[rng.choice(LANGUAGES)]))),
        ("wrapped", lambda: wrapped(rng, cut(rng, by_language[rng.choice(LANGUAGES)]))),
        (
            "repeated",
            lambda: (
                cut(rng, by_language[rng.choice(LANGUAGES)])[: rng.randrange(5, 200)] * rng.randrange(2, 20)
            ),
        ),
        ("made up", lambda: made_up(rng)),
    ]
    made = [("fixed", text) for text in FIXED]
    while len(made) < count:
        made += [(name, make()) for name, make in kinds]
    return made[:count]


def sent_of(count: int, data: Path | None, seed: int) -> list[tuple[str, str]]:
    """Pieces of human text, each changed as a whole: encoded, misread, spaced, in capitals."""
    rng = random.Random(seed)
    by_language = {language: documents(language, data) for language in LANGUAGES}
    texts = (cut(rng, by_language[rng.choice(LANGUAGES)]) for _ in range(count))
    return [("sent", SENT[n % len(SENT)](text)) for n, text in enumerate(texts)]


def cut(rng: random.Random, texts: Sequence[str]) -> str:
    """A piece of a text, of 5 to 2,000 characters, short ones as often as long ones."""
    text = rng.choice(texts)
    size = int(5 * 400 ** rng.random())
    start = rng.randrange(max(1, len(text) - size))
    return text[start : start + size]


def copied(rng: random.Random, text: str) -> str:
    """The text with up to thirty things put in."""
    characters = list(text)
    for _ in range(rng.randrange(1, 30)):
        characters.insert(rng.randrange(len(characters) + 1), rng.choice(INSERTED))
    return "".join(characters)


def wrapped(rng: random.Random, text: str) -> str:
    """The text in short lines, perhaps quoted."""
    width, mark = rng.randrange(38, 84), rng.choice(("", "> ", "  "))
    return "\n".join(f"{mark}{line}" for line in lines_of(text, width))


def lines_of(text: str, width: int) -> Iterator[str]:
    """Greedy lines of words."""
    line = ""
    for word in text.split(" "):
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line


def made_up(rng: random.Random) -> str:
    """Characters of a pool among plain ones."""
    pool = rng.choice(POOLS)
    plain = "ab A'.\n\u0301"
    drawn = (
        chr(rng.choice(pool)) if rng.random() < 0.6 else rng.choice(plain)
        for _ in range(rng.randrange(1, 200))
    )
    return "".join(drawn)
