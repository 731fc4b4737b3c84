"""Chromium, and the files and links that the page is given in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from stela_models.cli.demo_texts import HUMAN, PROMPTS
from stela_page.holding import held_of
from stela_page.link import end_of
from stela_testing import run_cli

New = Callable[..., Path]
InBrowser = Callable[..., dict[str, Any]]

PLUGIN = Path(__file__).parents[1]

# Chinese by an encoding whose table is in no page.
OLD_PDF = b"""%PDF-1.4
1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj
3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R
  /Resources <</Font <</F 5 0 R>>>>>> endobj
4 0 obj <</Length 42>> stream
BT /F 12 Tf 20 100 Td <c4e3bac3> Tj ET
endstream endobj
5 0 obj <</Type /Font /Subtype /Type0 /BaseFont /STSong /Encoding /GBK-EUC-H /DescendantFonts [6 0 R]>> endobj
6 0 obj <</Type /Font /Subtype /CIDFontType0 /BaseFont /STSong
  /CIDSystemInfo <</Registry (Adobe) /Ordering (GB1) /Supplement 2>> /FontDescriptor 7 0 R>> endobj
7 0 obj <</Type /FontDescriptor /FontName /STSong /Flags 4 /ItalicAngle 0 /Ascent 800 /Descent -200>> endobj
trailer <</Root 1 0 R>>
"""

PAGE = """<!doctype html><head><title>unseen</title></head><body><h1>A  head</h1>
<p>One <b>bold</b>&nbsp;word<br>
next</p><div hidden>no</div><div style="display: none">no</div><script>no()</script><ul><li>a<li>b</ul>
<table><tr><td>x</td><td>y</td></tr></table><pre>  kept
 so</pre>end<img src="https://picture.example/x.png"></body>"""

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
BODY = (
    f'<w:document xmlns:w="{WORD}"><w:body><w:p><w:r><w:t>First</w:t><w:tab/><w:t>line</w:t></w:r></w:p>'
    "<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>come</w:t></w:r></w:ins>"
    "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r></w:p>"
    "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>"
)


GLOSSES = (
    "<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>字",
    "<ruby>漢<rt>かん<rb>字<rt>じ</ruby>を",
    "<math><semantics><mi>x</mi><mo>=</mo><annotation>no</annotation></semantics></math> y",
    "a<noframes>no</noframes><noembed>no</noembed>b",
    "a<progress value=1>no</progress><meter>no</meter>b",
    "<dialog>no</dialog>a<dialog open>b</dialog>",
    "<object data=x>no</object>a<object>b</object>",
    "<b style='font-size:0'>no</b><i style='font-size:0.9em; opacity:.5'>yes</i>",
    "<p style='content-visibility:hidden'>no</p><p class='a sr-only'>no</p><p>yes",
    "<span class='katex'><span class='katex-mathml'>no</span><span>x</span></span>",
)
XHTML = (
    "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><head><script src='x'/></head>"
    "<body><div hidden=''/><p>a<![CDATA[ < b]]></p></body></html>"
)
GLOSSED = (
    f'<w:document xmlns:w="{WORD}"><w:body><w:p><w:r><w:ruby><w:rubyPr/><w:rt><w:r><w:t>kan</w:t></w:r>'
    "</w:rt><w:rubyBase><w:r><w:t>base</w:t></w:r></w:rubyBase></w:ruby></w:r></w:p>"
    '<w:p><w:pPr><w:pStyle w:val="Secret"/></w:pPr><w:r><w:t>no</w:t></w:r></w:p>'
    '<w:p><w:r><w:rPr><w:rStyle w:val="Of"/></w:rPr><w:t>no</w:t></w:r>'
    '<w:r><w:rPr><w:rStyle w:val="Shown"/></w:rPr><w:t>seen</w:t></w:r></w:p></w:body></w:document>'
)
STYLES = (
    f'<w:styles xmlns:w="{WORD}"><w:style w:styleId="Of"><w:basedOn w:val="Secret"/></w:style>'
    '<w:style w:styleId="Secret"><w:rPr><w:vanish/></w:rPr></w:style>'
    '<w:style w:styleId="Shown"><w:basedOn w:val="Of"/><w:rPr><w:vanish w:val="0"/></w:rPr></w:style>'
    "</w:styles>"
)


@pytest.fixture(scope="session")
def in_browser(tmp_path_factory: pytest.TempPathFactory) -> InBrowser:
    """Runs a script of this folder, which opens pages in Chromium, and gives what it says."""
    chromium = (
        os.environ.get("STELA_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    )
    node = shutil.which("node")
    if node is None or chromium is None:
        pytest.skip("needs node, and Chromium at /usr/bin/chromium or in STELA_CHROMIUM")
    if not (PLUGIN / "node_modules" / "playwright-core").is_dir():
        pytest.skip("needs npm ci in plugins/stela-page (make page-check)")

    def call(script: str, timeout: int = 400, **told: Any) -> dict[str, Any]:
        order = tmp_path_factory.mktemp("order") / "order.json"
        order.write_text(json.dumps({"browser": chromium, **told}), encoding="utf-8")
        command = [node, str(PLUGIN / "tests" / script), str(order)]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout, cwd=PLUGIN, check=False
        )
        assert done.returncode == 0, done.stderr[:1000]
        said: dict[str, Any] = json.loads(done.stdout)
        return said

    return call


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("files")
    (folder / "a.txt").write_bytes(b"\xef\xbb\xbfplain\r\ntext")
    (folder / "a.html").write_text(PAGE, encoding="utf-8")
    (folder / "latin.txt").write_bytes(b"caf\xe9")
    (folder / "a.pdf").write_bytes(b"%PDF-1.4")
    (folder / "<img src=x onerror=alert(1)>.rtf").write_bytes(b"x")
    (folder / "bad.docx").write_bytes(b"PK\x03\x04 no zip")
    for number, gloss in enumerate(GLOSSES):
        (folder / f"gloss-{number}.html").write_text(gloss + " end", encoding="utf-8")
    (folder / "a.xhtml").write_text(XHTML, encoding="utf-8")
    (folder / "utf-16.txt").write_text("plain 漢字 text", encoding="utf-16")
    (folder / "big.md").write_bytes(b"\xfe\xff" + "plain text".encode("utf-16-be"))
    with zipfile.ZipFile(folder / "glosses.docx", "w", zipfile.ZIP_DEFLATED) as document:
        document.writestr("word/document.xml", GLOSSED)
        document.writestr("word/styles.xml", STYLES)
    with zipfile.ZipFile(folder / "a.docx", "w", zipfile.ZIP_DEFLATED) as document:
        document.writestr("word/document.xml", BODY)
    return {path.name: str(path) for path in folder.iterdir()}


@pytest.fixture(scope="module")
def links(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Ends of links, and a text with the mark of the honest one: a profile that no page holds."""
    folder = tmp_path_factory.mktemp("links")
    profile, key = folder / "linked.stela", folder / "maker.pem"
    new = ["profile", "new", "--scheme", "kgw", "--model", "tiny", "--public-key", "-o", str(profile)]
    assert run_cli(*new).status == 0
    assert run_cli("key", "signing", "-o", str(key)).status == 0
    sign = [
        "profile",
        "sign",
        str(profile),
        "--signing-key",
        str(key),
        "--maker",
        "Example News",
        "-o",
        str(profile),
    ]
    assert run_cli(*sign, "-o", str(profile), "--force").status == 0
    honest = held_of(profile)
    assert honest.statement is not None
    changed = replace(honest, statement=honest.statement.replace("Example News", "Somebody else"))
    lenient = replace(honest, content=honest.content.replace('"alpha": 0.001', '"alpha": 0.9'))
    assert lenient != honest
    other = honest.archive.profile.tokenizer_sha256
    elsewhere = replace(honest, content=honest.content.replace(other, "0" * 64))
    ends = {"honest": honest, "changed": changed, "lenient": lenient, "elsewhere": elsewhere}
    out = folder / "out.jsonl"
    marked = ["generate", "--profile", str(profile), "--model", "tiny", "--prompt", PROMPTS["en"]]
    assert run_cli(*marked, "--min-new-tokens", "100", "-o", str(out)).status == 0
    text = json.loads(out.read_text(encoding="utf-8"))["text"]
    return {
        "ends": {name: end_of(held) for name, held in ends.items()} | {"cut": end_of(honest)[:200]},
        "text": text,
        "profile": str(profile),
    }


@pytest.fixture(scope="module")
def pdf(written: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A page that reads PDFs, and what it is given."""
    folder = tmp_path_factory.mktemp("pdf")
    page = folder / "pdf.html"
    assert run_cli("page", "--profile", written["en"]["profile"], "--pdf", "-o", str(page)).status == 0
    files = {
        "damaged": b"%PDF-1.7 nothing",
        "letters": OLD_PDF,
        "empty": OLD_PDF.replace(b"/F 12 Tf 20 100 Td <c4e3bac3> Tj", b""),
    }
    for name, data in files.items():
        (folder / f"{name}.pdf").write_bytes(data)
    texts = {language: " ".join(text.split()) for language, text in HUMAN.items()}
    paths = {name: str(folder / f"{name}.pdf") for name in files}
    return {"page": str(page), "folder": str(folder), "texts": texts, "files": paths}


@pytest.fixture
def new(tmp_path: Path) -> New:
    """``stela profile new`` of a name."""

    def call(name: str = "p.stela", *options: str) -> Path:
        path = tmp_path / name
        command = ["profile", "new", "--scheme", "kgw", "--model", "tiny", "-o", str(path)]
        assert run_cli(*command, *(options or ("--public-key",))).status == 0
        return path

    return call
