"""The canonical form: golden vectors, laws, the way back, and hostile texts."""

from __future__ import annotations

import json
import quopri
import subprocess
import sys
import unicodedata
import urllib.parse
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from string import ascii_letters

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from stela_detection.canonical import characters
from stela_detection.canonical.draft import Draft, in_given
from stela_detection.canonical.form import canonical_text
from stela_detection.canonical.lookalikes import FILE, table
from stela_testing.texts import ENGLISH, KOREAN

from tests.tiers import examples

VECTORS = json.loads(Path(__file__).with_name("canonical_vectors.json").read_text(encoding="utf-8"))

BITS = (
    *(
        "a",
        "Z",
        "é",
        "e\u0301",
        "\u0301",
        "\u0323",
        "\u0344",
        "\u3099",
        "か",
        "가",
        "\u1100",
        "\u1161",
        "\u11a8",
    ),
    *(
        " ",
        "  ",
        "\xa0",
        "\t",
        "\n",
        "\r\n",
        "\u2028",
        "\xad",
        "\u200b",
        "\u200c",
        "\u200d",
        "\ufe0f",
        "\ufe00",
    ),
    *(
        "\u0430",
        "\u0435",
        "\u0438",
        "\u03b1",
        "\u0391",
        "ｆ",
        "\U0001d400",
        "❤",
        "👨",
        "\u212b",
        "\u0905",
        "\U000e0041",
    ),
    *(">", "> ", "-", "- ", "1. ", "&amp;", "&nbsp;", "&#x41;", "\\n", "\\u0041", '\\"', "\\", "中", "。"),
    *(
        "%20",
        "%E4%B8%AD",
        "=E4=B8=AD",
        "=\n",
        "\xe4\xb8\xad",
        "\xc3\xa9",
        "\u3164",
        "\u1160",
        "中 国 的 ",
        "a b c d ",
    ),
    *("word " * 7, "long enough words in a line ", KOREAN[:30], "中国的历史很悠久，人民很多。" * 2),
)
TEXTS = st.lists(st.sampled_from(BITS), max_size=40).map("".join) | st.text(max_size=60)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_golden_vectors(vector: dict[str, str]) -> None:
    assert canonical_text(vector["text"]).text == vector["canonical"]


@pytest.mark.slow
@examples(500)
@given(TEXTS)
def test_canonical_of_canonical_is_the_same(text: str) -> None:
    once = canonical_text(text).text
    assert unicodedata.normalize("NFC", once) == once
    assume(not set("&\\%=") & set(once))  # escapes within escapes: one level is undone
    assert canonical_text(once).text == once


def test_what_is_canonical_is_the_same_object() -> None:
    for text in (ENGLISH, KOREAN * 3, "这座城市的历史。\n\n第二段。"):
        found = canonical_text(text)
        assert found.text is text
        assert found.steps == ()


@examples(300)
@given(TEXTS)
def test_the_way_back_ascends_from_the_beginning_to_the_end(text: str) -> None:
    found = canonical_text(text)
    points = in_given(np.arange(len(found.text) + 1), found.steps)
    assert points[0] == 0
    assert (np.diff(points) >= 0).all()
    assert points[-1] == (len(text) if found.text else 0)


@examples(300)
@given(st.text("abcdefghijk", max_size=30), st.lists(st.tuples(st.integers(0, 9), st.text("XY", max_size=3))))
def test_the_way_back_equals_the_slow_one(text: str, gaps: list[tuple[int, str]]) -> None:
    """Rewritten twice; each character carries where it came from."""
    slow = [(letter, at) for at, letter in enumerate(text)]
    draft = Draft(text)
    for _ in range(2):
        edits, start = [], 0
        for gap, new in gaps:
            start += gap // 3 + 1
            end = min(len(draft.text), start + gap % 3 + 1)
            if end > start:
                edits.append((start, end, new))
            start = end
        ends = [at for _, at in slow] + [len(text)]
        made, done = [], 0
        for start, end, new in edits:
            made += slow[done:start]
            made += [(letter, ends[min(start + n, end)]) for n, letter in enumerate(new)]
            done = end
        slow = made + slow[done:]
        draft.edit(edits)
    assert draft.text == "".join(letter for letter, _ in slow)
    expected = [at for _, at in slow] + [len(text)]
    expected[0] = 0
    assert in_given(np.arange(len(slow) + 1), draft.steps).tolist()[:-1] == expected[:-1]


@pytest.mark.parametrize("disguise", ["\u200b", "\xad", "\u2060"])
def test_the_way_back_finds_each_letter(disguise: str) -> None:
    text = disguise.join(ENGLISH).replace(" ", "\xa0 ")
    found = canonical_text(text)
    assert found.text == ENGLISH[:-1] + " "
    points = in_given(np.arange(len(found.text)), found.steps)[1:].tolist()
    assert [text[at] for at in points] == [c if c != " " else "\xa0" for c in ENGLISH[1:]]


@pytest.mark.slow
@examples(300)
@given(TEXTS | st.text(st.characters(categories=["Mn", "Lo", "Mc"]), max_size=25))
def test_composed_is_nfc(text: str) -> None:
    draft = Draft(text)
    characters.composed(draft)
    assume(len(draft.text) == 0 or "\u0301" * 20 not in text)
    assert draft.text == unicodedata.normalize("NFC", text)


@pytest.mark.slow
def test_ranges_hold_all_that_nfc_needs() -> None:
    """Against the whole of Python's own Unicode data: what starts a piece never composes backwards."""
    unsure, single = (set(expanded(ranges)) for ranges in (characters.UNSURE, characters.SINGLE))
    every = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    pairs = (unicodedata.decomposition(letter).split() for letter in every)
    seconds = {chr(int(pair[1], 16)) for pair in pairs if len(pair) == 2 and pair[0][0] != "<"}
    seconds |= {chr(code) for code in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
    selectors = set(expanded(characters.SELECTORS))
    for letter in every:
        if letter in unsure:
            continue
        first = unicodedata.normalize("NFD", letter)[0]
        assert unicodedata.combining(first) == 0, letter
        assert first not in seconds, letter
        assert unicodedata.category(letter)[0] != "M" or letter in selectors, letter
        assert letter in single or unicodedata.normalize("NFC", letter) == letter, letter


def expanded(ranges: str) -> str:
    """All characters of a pattern's ranges."""
    found, rest = [], list(ranges)
    while rest:
        if rest[1:2] == ["-"]:
            found += [chr(code) for code in range(ord(rest[0]), ord(rest[2]) + 1)]
            del rest[:3]
        else:
            found.append(rest.pop(0))
    return "".join(found)


def test_lookalikes_name_source_version_and_licence() -> None:
    made = json.loads(FILE.read_text(encoding="utf-8"))
    assert made["version"] == "13.0.0"
    assert "Unicode License v3" in made["licence"]
    for letter, latin in table().items():
        assert latin in ascii_letters
        assert 0x370 <= ord(letter) < 0x590
    assert {table()[letter] for letter in "асеорхуі"} == set("aceopxyi")


def test_nothing_that_unicode_calls_ignorable_is_left() -> None:
    """In a word, beside a space and at the ends; each of 4,174, those that are not assigned yet included."""
    made = json.loads(characters.FILE.read_text(encoding="utf-8"))
    assert made["version"] == "17.0.0"
    assert "Unicode License v3" in made["licence"]
    points = expanded(characters.IGNORABLE)
    assert len(points) == 4174
    for code in ("\u115f", "\u1160", "\u17b4", "\u180b", "\U0001d173", "\U0001bca0", "\u2065", "\U000e0fff"):
        assert code in points
    for point in (*points, "\ufffc"):
        found = canonical_text(f"{point}The city{point} {point}is o{point}ld.{point}").text
        assert found == "The city is old.", hex(ord(point))


def test_the_script_reads_ranges_of_the_property_alone(tmp_path: Path) -> None:
    properties = (
        "# DerivedCoreProperties-17.0.0.txt\n"
        "200B..200D    ; Default_Ignorable_Code_Point # Cf   [3] ZERO WIDTH SPACE..ZERO WIDTH JOINER\n"
        "00AD          ; Default_Ignorable_Code_Point # Cf       SOFT HYPHEN\n"
        "200E          ; Default_Ignorable_Code_Point # Cf       LEFT-TO-RIGHT MARK\n"
        "0041..005A    ; Uppercase # L&  [26] LATIN CAPITAL LETTER A..LATIN CAPITAL LETTER Z\n"
    )
    read, written = tmp_path / "DerivedCoreProperties.txt", tmp_path / "ignorable.json"
    read.write_text(properties, encoding="utf-8")
    root = Path(__file__).parents[4]
    subprocess.run([sys.executable, "-m", "scripts.write_ignorable", read, written], cwd=root, check=True)
    made = json.loads(written.read_text(encoding="utf-8"))
    assert made["ranges"] == ["00AD-00AD", "200B-200E"]
    assert made["version"] == "17.0.0"


SENT: dict[str, Callable[[str], str]] = {
    "percent-encoding": urllib.parse.quote,
    "percent-encoding, plus for spaces": urllib.parse.quote_plus,
    "quoted-printable": lambda text: quopri.encodestring(text.encode()).decode(),
    "read as Latin-1": lambda text: text.encode().decode("latin-1"),
    "JSON in JSON": lambda text: json.dumps(json.dumps(text)[1:-1])[1:-1],
    "all letters spaced": " ".join,
}


@pytest.mark.parametrize("name", SENT)
@pytest.mark.parametrize("language", ["en", "zh", "ko"])
def test_what_was_sent_is_restored_character_by_character(name: str, language: str) -> None:
    given = {
        "en": "The “old” city isn’t far – its people read many books – so café and naïve. " * 3,
        "zh": "这座城市的历史很悠久，人民很多。他说：“你好。”" * 5,
        "ko": "이 도시의 역사는 오래되었고 그 문화는 “다양하다.” " * 4,
    }[language].strip()
    worn = SENT[name](given)
    found = canonical_text(worn)
    assert found.text == given
    points = in_given(np.arange(len(given) + 1), found.steps).tolist()
    assert (points[0], points[-1]) == (0, len(worn))
    assert all(start < end for start, end in pairwise(points)), "each character is of some"
