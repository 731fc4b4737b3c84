"""``stela page``: what it writes, and what it refuses in one line."""

from __future__ import annotations

import json
import re
import zipfile
from base64 import b85decode
from collections.abc import Callable, Sequence
from dataclasses import replace
from gzip import decompress
from html.parser import HTMLParser
from importlib.metadata import metadata
from pathlib import Path

import pytest
from stela_page.expected import expected_of
from stela_page.holding import held_of, same, tagger_of
from stela_page.packing import packed
from stela_page.page import page_of, source_hash
from stela_testing import assert_refused, run_cli

import stela_core as stela
from stela_core.api import Archive

New = Callable[..., Path]


class Elements(HTMLParser):
    """All scripts and styles of a page, and whatever refers to something outside it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.blocks: list[tuple[dict[str, str | None], str]] = []
        self.refers: list[str] = []
        self.handlers: list[str] = []
        self.tags: list[str] = []
        self.policy = ""
        self._inside = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.tags.append(tag)
        self.refers += [f"{tag} {name}" for name in ("src", "href", "action", "data") if name in values]
        self.handlers += [name for name in values if name.startswith("on")]
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"] or ""
        self._inside = tag in ("script", "style")
        if self._inside:
            self.blocks.append(({"tag": tag, **values}, ""))

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            values, before = self.blocks[-1]
            self.blocks[-1] = values, before + data


def unpacked(text: str) -> bytes:
    """By Python's own decoder, the letters of markup back in their places."""
    return decompress(b85decode(text.translate(str.maketrans("/,.", "&<>"))))


def test_what_is_packed_has_no_letter_of_markup() -> None:
    data = bytes(number * number * 7919 % 251 for number in range(10_007))
    for end in range(10_000, 10_007):
        assert unpacked(packed(data[:end])) == data[:end]
    assert not set("<>&\\\"' \n") & set(packed(data))


def test_a_page_holds_its_profiles_and_refers_to_nothing(new: New, tmp_path: Path) -> None:
    profile, out = new(), tmp_path / "verify.html"
    assert run_cli("page", "--profile", str(profile), "-o", str(out)).status == 0
    page = Elements(out.read_text(encoding="utf-8"))
    assert page.refers == []
    assert page.handlers == []
    by_id = {values.get("id"): content for values, content in page.blocks}
    [listed] = json.loads(by_id["profiles"])
    archive = Archive.read(profile)
    assert listed["sha256"] == archive.profile.digest
    assert json.loads(listed["content"])["hasher"]["key"] == archive.profile.hasher.key
    assert listed["statement"] is None
    assert unpacked(by_id[listed["tokenizer"]]) == archive.tokenizer
    run_by_browsers = [(v, c) for v, c in page.blocks if v["tag"] == "script" and "type" not in v]
    [(_, script)] = run_by_browsers
    [style] = [content for values, content in page.blocks if values["tag"] == "style"]
    assert f"script-src '{source_hash(script)}';" in page.policy
    assert f"style-src '{source_hash(style)}';" in page.policy
    for rule in ("default-src 'none'", "connect-src 'none'", "worker-src blob:", "form-action 'none'"):
        assert rule in page.policy
    assert "unsafe" not in page.policy


def test_a_page_holds_what_the_expected_power_is_worked_out_of(new: New) -> None:
    """The program's sums are compared in web/tests/power.test.ts."""
    assert held_of(new("kgw.stela", "--public-key", "--language", "en")).expected == {
        "freedom": [2.0, 0.98, 0.06]
    }
    english = stela.create("gumbel", model="tiny", key="public", language="en")
    assert expected_of(english) == {"gains": [*english.parts.hasher.gains["tiny en"]]}
    assert expected_of(stela.create("gumbel", model="tiny", key="public", language="fr")) == {}
    assert expected_of(stela.create("learned-text", model="tiny", key="public", language="en")) == {}


def test_the_program_is_small_and_cannot_end_its_element() -> None:
    built = Path(__file__).parents[1] / "stela_page" / "built"
    program = sum((built / name).stat().st_size for name in ("page.js", "page.css", "service.js"))
    program += len(packed((built / "words.json").read_bytes()))
    assert program < 293_000
    assert program + len(packed((built / "pdf.js").read_bytes())) < 1_000_000
    for name, end in (("page.js", "</script"), ("page.js", "<!--"), ("page.css", "</style")):
        assert end not in (built / name).read_text(encoding="utf-8").lower()
    assert b"\r" not in (built / "page.js").read_bytes()


def test_the_page_that_is_a_file_has_no_code_that_connects() -> None:
    built = Path(__file__).parents[1] / "stela_page" / "built"
    ways = re.compile(
        r"\bfetch\(|XMLHttpRequest|WebSocket|WebTransport|sendBeacon|EventSource|importScripts|RTCPeer"
    )
    assert not ways.search((built / "page.js").read_text(encoding="utf-8"))
    assert ways.findall((built / "service.js").read_text(encoding="utf-8")) == ["fetch("]


@pytest.mark.parametrize(
    "name",
    [
        "</script><script>alert(1)</script>",
        "<!--<script>",
        "@script@ @policy@",
        "\u2028\u202e\0'\"&amp;",
        "]]></style>",
        "x" * 10_000,
    ],
)
def test_hostile_names_stay_names(new: New, name: str) -> None:
    held = held_of(new())
    plain = Elements(page_of([held]))
    page = Elements(page_of([replace(held, name=name, statement=name)]))
    assert page.tags == plain.tags
    assert page.policy == plain.policy
    [listed] = [content for values, content in page.blocks if values.get("id") == "profiles"]
    assert json.loads(listed)[0]["name"] == json.loads(listed)[0]["statement"] == name


def test_what_profiles_share_lies_in_the_page_once(new: New, tmp_path: Path) -> None:
    first, second, out = new("a.stela"), new("b.stela"), tmp_path / "two.html"
    said = run_cli("page", "--profile", first, second, first, "-o", out)
    assert said.status == 0
    assert "looks for 2 marks" in said.out
    assert "is tested once" in said.err
    listed = re.findall(r'<script type="text/plain"', out.read_text(encoding="utf-8"))
    assert len(listed) == 1


def test_pages_of_equal_profiles_are_equal(new: New) -> None:
    path = new()
    assert page_of([held_of(path)]) == page_of([held_of(path)])


def test_refusals_are_one_line(new: New, tmp_path: Path) -> None:
    assert run_cli("key", "new", "-o", str(tmp_path / "key.txt")).status == 0
    secret = new("secret.stela", "--key-file", str(tmp_path / "key.txt"))
    public, damaged = new(), tmp_path / "damaged.stela"
    damaged.write_bytes(public.read_bytes()[:200])
    out = tmp_path / "verify.html"
    for path, expected in (
        (secret, "would publish it"),
        (damaged, "damaged.stela"),
        (tmp_path / "none.stela", "does not exist"),
    ):
        assert_refused(run_cli("page", "--profile", path, "-o", out), expected)
        assert not out.exists()
    out.write_text("mine", encoding="utf-8")
    assert_refused(run_cli("page", "--profile", public, "-o", out), "--force")
    assert out.read_text(encoding="utf-8") == "mine"


def test_a_signature_goes_into_the_page_and_a_broken_one_is_refused(new: New, tmp_path: Path) -> None:
    pem, signed, out = (str(tmp_path / name) for name in ("k.pem", "signed.stela", "verify.html"))
    assert run_cli("key", "signing", "-o", pem).status == 0
    sign = ["profile", "sign", str(new()), "--signing-key", pem, "--maker", "新闻", "-o", signed]
    assert run_cli(*sign).status == 0
    assert run_cli("page", "--profile", signed, "-o", out).status == 0
    page = Elements(Path(out).read_text(encoding="utf-8"))
    [listed] = [json.loads(content) for values, content in page.blocks if values.get("id") == "profiles"]
    with zipfile.ZipFile(signed) as archive:
        members = {name: archive.read(name).decode() for name in archive.namelist()}
    assert listed[0]["statement"] == members["signature.json"]
    assert listed[0]["content"] == members["profile.json"]
    changed = tmp_path / "changed.stela"
    with zipfile.ZipFile(changed, "w") as archive:
        members["profile.json"] = members["profile.json"].replace('"alpha": 0.001', '"alpha": 0.002')
        for name, content in members.items():
            archive.writestr(name, content)
    verified = run_cli("profile", "verify", changed)
    assert_refused(verified, "changed after it was signed")
    assert run_cli("page", "--profile", changed, "-o", out, "--force") == verified


@pytest.mark.parametrize(
    ("given", "read", "expected"),
    [
        ({"a": 1}, {"a": 1.0, "b": 2}, True),
        ({"a": None, "c": []}, {"a": None}, True),
        ({"a": "0.5"}, {"a": 0.5}, False),
        ({"a": True}, {"a": 1}, False),
        ({"a": 1}, {}, False),
        ({"a": [1, {"b": "x"}]}, {"a": ({"b": "x"},)}, False),
        ({"a": [{"b": "x"}]}, {"a": ({"b": "x"},)}, True),
    ],
)
def test_what_a_browser_would_read_otherwise(given: object, read: object, expected: bool) -> None:
    assert same(given, read) is expected


@pytest.mark.slow
def test_a_page_holds_the_tagger_of_its_profiles_once(tmp_path: Path) -> None:
    paths, out = [tmp_path / "a.stela", tmp_path / "b.stela"], tmp_path / "verify.html"
    for path, scheme in zip(paths, ("stela", "kgw+stela"), strict=True):
        wm = stela.create(scheme, model="tiny", language="de", key="public")
        wm.save(path)
    assert run_cli("page", "--profile", *map(str, paths), "-o", str(out)).status == 0
    by_id = {
        values.get("id"): content for values, content in Elements(out.read_text(encoding="utf-8")).blocks
    }
    first, second = json.loads(by_id["profiles"])
    assert first["tagger"] == second["tagger"]
    assert wm.contexts is not None
    written = unpacked(by_id[first["tagger"]])
    assert written == wm.contexts.tagger.portable()
    said = json.loads(written.partition(b"\n")[0])
    assert said["license"] == metadata("stela-de")["License-Expression"]
    profile = json.loads(first["content"])
    assert said["fingerprint"] == profile["tagger"]["fingerprint"] == wm.contexts.tagger.fingerprint


class Shouting(stela.Tagger):
    """A tagger that was not carried over."""

    name, language, tagset, model, version, k, window = "shouting", "en", "case", "none", "1", 2, 6

    def tag(self, texts: Sequence[str]) -> list[list[stela.Tag]]:
        stela.require_well_formed(texts)
        words = [list(re.finditer(r"\S+", text)) for text in texts]
        return [
            [stela.Tag("UP" if one.group().isupper() else "LOW", *one.span()) for one in each]
            for each in words
        ]


def test_a_tagger_that_does_not_write_itself_down_is_refused_in_one_line() -> None:
    watermark = stela.create("stela", model="tiny", key="public", language="de")
    assert watermark.contexts is not None
    watermark.contexts.tagger = Shouting()
    with pytest.raises(stela.StelaError, match='tagger "shouting" was not carried over') as caught:
        tagger_of(watermark, "it")
    assert "stela serve" in str(caught.value.hint)
