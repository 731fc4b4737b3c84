"""``stela detect --html``: what the report says and shows, and that nothing of a stranger's runs in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_page import report, said
from stela_page.page import source_hash
from stela_testing import run_cli
from stela_testing.texts import ENGLISH, marked_text

import stela_core as stela
from tests.helpers import uninstall

New = Callable[..., Path]
PLUGIN = Path(__file__).resolve().parents[1]
HOSTILE = "<script>alert(1)</script> <img src=x onerror=alert(2)> &amp; \u202e {{ 7 * 7 }} </style></div>"


class Seen(HTMLParser):
    """Tags, what refers outside, and text by class."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.refers: list[str] = []
        self.handlers: list[str] = []
        self.policy = self.style = self.text = ""
        self.by_class: dict[str, list[str]] = {}
        self._open: list[str] = []
        self._in_style = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        self.refers += [value for name, value in values.items() if name in ("src", "href", "action", "data")]
        self.handlers += [name for name in values if name.startswith("on") or name == "style"]
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"]
        self._in_style = tag == "style"
        if tag not in ("meta", "br"):
            self._open.append(values.get("class", ""))
            self.by_class.setdefault(self._open[-1], []).append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_style = False
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self.style += data
            return
        self.text += data
        for name in {*self._open}:
            self.by_class[name][-1] += data


@pytest.fixture
def files(new: New, tmp_path: Path) -> dict[str, Path]:
    """A profile, a marked text, one of nobody, a short one, a hostile one."""
    profile = new()
    contents = {
        "marked": marked_text(stela.load(profile)),
        "human": ENGLISH,
        "short": "Few words.",
        "hostile": HOSTILE,
    }
    made = {"profile": profile}
    for name, content in contents.items():
        path = tmp_path / ("<b>hostile<script>.txt" if name == "hostile" else f"{name}.txt")
        path.write_text(content, encoding="utf-8")
        made[name] = path
    return made


def reported(tmp_path: Path, *options: object) -> Seen:
    out = tmp_path / "report.html"
    done = run_cli("detect", *map(str, options), "--html", str(out), "--force")
    assert done.status == 0, done.err
    return Seen(out.read_text(encoding="utf-8"))


def test_a_marked_text(files: dict[str, Path], tmp_path: Path) -> None:
    page = reported(tmp_path, "--profile", files["profile"], files["marked"])
    mark = stela.load(files["profile"])
    detection = mark.detect(files["marked"].read_text(encoding="utf-8"))
    words = said.words()
    for sentence in (words["title"], words["found"], words["noAuthor"], words["noProofWhy"], words["fixed"]):
        assert sentence in page.text
    assert said.filled("foundOdds", odds=said.one_in(detection.p_value)) in page.text
    assert said.in_digits(detection.p_value) in page.text
    assert mark.profile.digest in page.text
    assert f"key {mark.profile.hasher.key_id}" in page.text
    assert "Of 10,000 texts that nobody marked, about 10 are called marked" in page.text
    [shaded] = page.by_class["shaded"]
    assert shaded == files["marked"].read_text(encoding="utf-8")
    legend = 1
    assert len(page.by_class["red"]) - legend == sum(token.green is False for token in detection.tokens)
    greens = sum(len(page.by_class.get(f"green green-{shade}", [])) - legend for shade in (1, 2, 3, 4))
    assert greens == sum(token.green is True for token in detection.tokens)


def test_several_texts_with_a_table(files: dict[str, Path], tmp_path: Path) -> None:
    names = ("marked", "human", "short")
    page = reported(tmp_path, "--profile", files["profile"], *(files[name] for name in names), "--windows")
    assert "3 texts: a mark was found in 1, none in 1; 1 is too short to say" in page.text
    assert [page.by_class[f"card result {kind}"] != [] for kind in ("found", "none", "short")]
    assert page.refers == ["#text-1", "#text-2", "#text-3"]
    assert page.by_class["plain"] == [ENGLISH, "Few words."]
    for name in ("noProof", "shortOdds"):
        assert said.words()[name] in page.text


def test_nothing_of_a_strangers_runs(files: dict[str, Path], tmp_path: Path) -> None:
    mark = stela.load(files["profile"])
    hidden = files["marked"].read_text(encoding="utf-8") + HOSTILE
    files["marked"].write_text(hidden, encoding="utf-8")
    page = reported(tmp_path, "--profile", files["profile"], files["marked"], files["hostile"])
    assert not {"script", "img", "b", "iframe", "link", "object"} & set(page.tags)
    assert page.handlers == []
    assert all(address.startswith("#") for address in page.refers)
    assert page.policy == (
        f"default-src 'none'; style-src '{source_hash(page.style)}'; base-uri 'none'; form-action 'none'"
    )
    assert HOSTILE.replace("\u202e", "\\u202e") in page.text
    assert "\u202e" not in page.text
    [shaded] = page.by_class["shaded"]
    assert shaded.endswith(HOSTILE.replace("\u202e", "\\u202e"))
    assert mark.detect(hidden).watermarked
    assert page.tags.count("section") == page.text.count("SHA-256 of the text") + 3


def test_colours_of_a_secret_key_are_shown_only_where_asked_for(
    new: New, files: dict[str, Path], tmp_path: Path
) -> None:
    key = tmp_path / "key.txt"
    assert run_cli("key", "new", "-o", str(key)).status == 0
    profile = new("secret.stela", "--key-file", str(key))
    files["marked"].write_text(marked_text(stela.load(profile, key)), encoding="utf-8")
    given = ("--profile", profile, "--key-file", key, files["marked"])
    page = reported(tmp_path, *given)
    assert said.words()["found"] in page.text
    assert "The key is secret, so this report does not show which pieces it favours." in page.text
    assert not [name for name in page.by_class if name.startswith(("green", "red"))]
    assert page.by_class["plain"] == [files["marked"].read_text(encoding="utf-8")]
    page = reported(tmp_path, *given, "--tokens")
    assert page.by_class["shaded"] == [files["marked"].read_text(encoding="utf-8")]
    assert key.read_text(encoding="utf-8").strip() not in page.text


def test_several_profiles_and_workers(new: New, files: dict[str, Path], tmp_path: Path) -> None:
    folder = tmp_path / "profiles"
    folder.mkdir()
    files["profile"].rename(folder / "p.stela")
    new("q.stela").rename(folder / "q.stela")
    page = reported(tmp_path, "--profiles", folder, files["marked"], "--workers", 2)
    assert "The marks that were looked for" in page.text
    assert said.filled("corrected", n=2) in page.text
    assert page.text.count("p.stela") == page.text.count("q.stela") == 1
    assert page.by_class["shaded"] == [files["marked"].read_text(encoding="utf-8")]


def test_long_reports_are_cut_and_say_so(
    files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, most in {"ROWS": 2, "CARDS": 1, "TOKENS": 10, "CHARACTERS": 5}.items():
        monkeypatch.setattr(report, name, most)
    page = reported(tmp_path, "--profile", files["profile"], files["marked"], files["human"], files["short"])
    assert "Texts that this table leaves out: 1." in page.text
    assert "Further texts that were tested: 2." in page.text
    assert re.search(r"Pieces that are not shown: \d+\.", page.text)
    assert len(page.by_class["shaded"][0]) < 80


def test_without_the_plugin_a_hint_says_what_to_install(
    files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uninstall(monkeypatch)
    out = tmp_path / "report.html"
    refused = run_cli("detect", "--profile", str(files["profile"]), str(files["human"]), "--html", str(out))
    assert (refused.status, refused.out) == (2, "")
    assert refused.err == "error: stela detect --html needs stela-page. hint: pip install stela-page\n"
    assert not out.exists()


def test_words_are_those_of_the_page() -> None:
    assert said.words() == json.loads((PLUGIN / "web/words/en.json").read_text(encoding="utf-8"))


@given(st.floats(min_value=5e-324, max_value=1.0))
def test_odds_never_look_rarer_than_they_are(p: float) -> None:
    digit, exponent = said.rounded_down(p)
    assert 1 <= digit <= 9
    log = __import__("math").log10
    assert log(digit) + exponent <= -log(p) + 1e-9
    next_up = log(digit + 1) + exponent
    assert next_up >= -log(p) - 1e-9


@pytest.mark.parametrize(
    ("power", "share"), [(0.2336, "≈\u00a020%"), (0.04, "<\u00a010%"), (0.79, "≈\u00a080%"), (0.8, "")]
)
def test_the_share_of_marked_texts_is_told_in_tenths(power: float, share: str) -> None:
    assert said.share_of(power) == share


@pytest.mark.parametrize(
    ("bound", "digits"),
    [(1.0, "1"), (0.00012, "0.0002"), (9.5e-5, "0.0001"), (7.1e-38, "8 × 10⁻³⁸"), (9.9e-10, "1 × 10⁻⁹")],
)
def test_bounds_are_rounded_up(bound: float, digits: str) -> None:
    assert said.at_most(bound) == digits


@pytest.mark.parametrize(
    ("p", "odds", "digits"),
    [
        (1.0, "1", "1"),
        (0.042, "20", "0.042"),
        (0.001, "1,000", "0.001"),
        (2.4e-7, "4 million", "2.40 × 10⁻⁷"),
        (1.32e-23, "1 billion", "1.32 × 10⁻²³"),
    ],
)
def test_numbers(p: float, odds: str, digits: str) -> None:
    assert (said.one_in(p), said.in_digits(p)) == (odds, digits)
