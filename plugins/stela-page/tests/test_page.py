"""``stela page``: what it writes, and what it refuses in one line."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Callable
from gzip import decompress
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest
from stela_page.page import Held, page_of, source_hash

import stela_core as stela
from stela_core.api import read_archive
from stela_core.cli.main import run

New = Callable[..., Path]


@pytest.fixture
def new(tmp_path: Path) -> New:
    """``stela profile new`` of a name."""

    def call(name: str = "p.stela", *options: str) -> Path:
        path = tmp_path / name
        command = ["profile", "new", "--scheme", "kgw", "--model", "tiny", "-o", str(path)]
        assert run([*command, *(options or ("--public-key",))]) == 0
        return path

    return call


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


def test_a_page_holds_its_profiles_and_refers_to_nothing(new: New, tmp_path: Path) -> None:
    profile, out = new(), tmp_path / "verify.html"
    assert run(["page", "--profile", str(profile), "-o", str(out)]) == 0
    page = Elements(out.read_text(encoding="utf-8"))
    assert page.refers == []
    assert page.handlers == []
    by_id = {values.get("id"): content for values, content in page.blocks}
    [listed] = json.loads(by_id["profiles"])
    archive = read_archive(profile)
    assert listed["sha256"] == sha256(profile.read_bytes()).hexdigest()
    assert listed["profile"]["hasher"]["key"] == archive.profile.hasher.key
    assert decompress(b64decode(by_id[listed["tokenizer"]])) == archive.tokenizer
    run_by_browsers = [(v, c) for v, c in page.blocks if v["tag"] == "script" and "type" not in v]
    [(_, script)] = run_by_browsers
    [style] = [content for values, content in page.blocks if values["tag"] == "style"]
    assert f"script-src '{source_hash(script)}';" in page.policy
    assert f"style-src '{source_hash(style)}';" in page.policy
    for rule in ("default-src 'none'", "connect-src 'none'", "worker-src blob:", "form-action 'none'"):
        assert rule in page.policy
    assert "unsafe" not in page.policy


def test_the_program_is_small_and_cannot_end_its_element() -> None:
    built = Path(__file__).parents[1] / "stela_page" / "built"
    assert sum(file.stat().st_size for file in built.iterdir()) < 1_000_000
    for name, end in (("page.js", "</script"), ("page.js", "<!--"), ("page.css", "</style")):
        assert end not in (built / name).read_text(encoding="utf-8").lower()
    assert b"\r" not in (built / "page.js").read_bytes()


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
    archive = read_archive(new())
    plain = Elements(page_of([Held("p", "0" * 64, archive)]))
    page = Elements(page_of([Held(name, "0" * 64, archive)]))
    assert page.tags == plain.tags
    assert page.policy == plain.policy
    [listed] = [content for values, content in page.blocks if values.get("id") == "profiles"]
    assert json.loads(listed)[0]["name"] == name


def test_what_profiles_share_lies_in_the_page_once(
    new: New, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, out = new("a.stela"), new("b.stela"), tmp_path / "two.html"
    assert run(["page", "--profile", str(first), str(second), str(first), "-o", str(out)]) == 0
    said = capsys.readouterr()
    assert "looks for 2 marks" in said.out
    assert "is looked for once" in said.err
    listed = re.findall(r'<script type="text/plain"', out.read_text(encoding="utf-8"))
    assert len(listed) == 1


def test_pages_of_equal_profiles_are_equal(new: New) -> None:
    archive = read_archive(new())
    assert page_of([Held("p", "0" * 64, archive)]) == page_of([Held("p", "0" * 64, archive)])


def test_refusals_are_one_line(new: New, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["key", "new", "-o", str(tmp_path / "key.txt")]) == 0
    secret = new("secret.stela", "--key-file", str(tmp_path / "key.txt"))
    public, damaged = new(), tmp_path / "damaged.stela"
    damaged.write_bytes(public.read_bytes()[:200])
    out = tmp_path / "verify.html"
    for path, expected in (
        (secret, "would publish it"),
        (damaged, "damaged.stela"),
        (tmp_path / "none.stela", "does not exist"),
    ):
        capsys.readouterr()
        assert run(["page", "--profile", str(path), "-o", str(out)]) != 0
        error = capsys.readouterr().err
        assert expected in error
        assert "Traceback" not in error
        assert not out.exists()
    out.write_text("mine", encoding="utf-8")
    assert run(["page", "--profile", str(public), "-o", str(out)]) != 0
    assert "--force" in capsys.readouterr().err
    assert out.read_text(encoding="utf-8") == "mine"


@pytest.mark.slow
def test_what_a_browser_cannot_reproduce_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "p.stela", tmp_path / "verify.html"
    wm = stela.create("stela", model="tiny", language="en", key="public", tagger="penn")
    wm.save(path)
    assert run(["page", "--profile", str(path), "-o", str(out)]) != 0
    error = capsys.readouterr().err
    assert "does not run in a browser" in error
    assert not out.exists()
