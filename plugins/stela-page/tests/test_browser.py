"""The page in Chromium: what it finds, that it connects to nothing, and that everybody can use it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

import stela_core as stela
from stela_core.cli.demo_texts import HUMAN, PROMPTS
from stela_core.cli.main import run
from stela_core.documents.extract_html import text_of as text_of_html

pytestmark = pytest.mark.slow

PLUGIN = Path(__file__).parents[1]
CHROMIUM = os.environ.get("STELA_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
NODE = shutil.which("node")

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


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Profiles, their pages and texts by language; nothing else is in the folder."""
    if NODE is None or CHROMIUM is None:
        pytest.skip("needs node, and Chromium at /usr/bin/chromium or in STELA_CHROMIUM")
    if not (PLUGIN / "node_modules" / "playwright-core").is_dir():
        pytest.skip("needs npm ci in plugins/stela-page (make page-check)")
    folder = tmp_path_factory.mktemp("page")
    pages: dict[str, Any] = {}
    for language, prompt in PROMPTS.items():
        profile, out = folder / f"{language}.stela", folder / f"{language}.jsonl"
        new = ["profile", "new", "--scheme", "learned-text", "--language", language, "--model", "tiny"]
        assert run([*new, "--public-key", "-o", str(profile)]) == 0
        marked = ["generate", "--profile", str(profile), "--model", "tiny", "--prompt", prompt]
        assert run([*marked, "-o", str(out)]) == 0
        text = json.loads(out.read_text(encoding="utf-8"))["text"]
        page = folder / f"{language}.html"
        assert run(["page", "--profile", str(profile), "-o", str(page)]) == 0
        texts = {"marked": text, "human": HUMAN[language], "short": text[:5]}
        pages[language] = {"path": str(page), "texts": texts, "profile": str(profile)}
    return pages


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("files")
    (folder / "a.txt").write_bytes(b"\xef\xbb\xbfplain\r\ntext")
    (folder / "a.html").write_text(PAGE, encoding="utf-8")
    (folder / "latin.txt").write_bytes(b"caf\xe9")
    (folder / "a.pdf").write_bytes(b"%PDF-1.4")
    (folder / "<img src=x onerror=alert(1)>.rtf").write_bytes(b"x")
    (folder / "bad.docx").write_bytes(b"PK\x03\x04 no zip")
    with zipfile.ZipFile(folder / "a.docx", "w", zipfile.ZIP_DEFLATED) as document:
        document.writestr("word/document.xml", BODY)
    return {path.name: str(path) for path in folder.iterdir()}


@pytest.fixture(scope="module")
def said(written: dict[str, Any], files: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What happened in the browser."""
    order = tmp_path_factory.mktemp("order") / "order.json"
    order.write_text(json.dumps({"browser": CHROMIUM, "pages": written, "files": files}), encoding="utf-8")
    assert NODE is not None
    done = subprocess.run(
        [NODE, str(PLUGIN / "tests" / "browser.mjs"), str(order)],
        capture_output=True,
        text=True,
        timeout=400,
        cwd=PLUGIN,
        check=False,
    )
    assert done.returncode == 0, done.stderr[:1000]
    return json.loads(done.stdout)


@pytest.mark.parametrize("language", PROMPTS)
def test_p_values_are_those_of_stela_detect(written: Any, said: Any, language: str) -> None:
    watermark = stela.load(written[language]["profile"])
    for name, text in written[language]["texts"].items():
        expected = watermark.detect(text)
        seen = said["texts"][language][name]
        assert seen["p_value"] == pytest.approx(expected.p_value, rel=1e-9)
        assert seen["verdict"] == expected.verdict
        assert seen["text"] == text
        assert seen["marks"][0]["scored_tokens"] == expected.scored_tokens
        assert seen["marks"][0]["profile"]["key_id"] == watermark.profile.hasher.key_id
        if name != "short":
            assert seen["shaded"] == text
    said_of = {name: said["texts"][language][name]["verdict"] for name in ("marked", "human", "short")}
    assert said_of["marked"] == "watermarked"
    assert said_of["human"] == "no watermark found"
    assert said_of["short"] == "insufficient text"


def test_the_page_speaks_the_visitors_language(said: Any) -> None:
    assert [said["texts"][language]["lang"] for language in ("en", "zh", "ko")] == ["en", "zh-Hans", "ko"]
    assert said["texts"]["en"]["marked"]["announced"].startswith("A mark was found")
    assert said["texts"]["zh"]["human"]["announced"].startswith("未发现水印")
    assert said["texts"]["ko"]["short"]["announced"].startswith("글이 너무 짧아")


def test_nothing_is_sent_anywhere(said: Any) -> None:
    assert "connect-src 'none'" in said["policy"]
    assert said["policy"].startswith("default-src 'none'")
    assert said["blocked"] == ["blocked", "blocked"]
    reached = [
        url for url in said["requests"] if not url.startswith(("file:", "blob:", "https://example.org"))
    ]
    assert reached == []
    # The style of an element in a file that is read as HTML is refused, too: it is in no page.
    complaints = [line for line in said["console"] if not line.startswith("Applying inline style")]
    assert complaints == []


def test_axe_finds_nothing_and_narrow_screens_do_not_scroll(said: Any) -> None:
    assert len(said["axe"]) == 24
    assert {key: seen for key, seen in said["axe"].items() if seen} == {}
    assert len(said["widths"]) == 12
    for key, (width, screen) in said["widths"].items():
        assert width <= screen, key


def test_the_keyboard_is_enough(said: Any) -> None:
    assert said["keyboard"].startswith("A mark was found")
    assert {"file", "clear", "save", "print"} <= set(said["order"])


def test_files_are_read_as_stela_detect_reads_them(said: Any) -> None:
    files = said["files"]
    assert files["a.txt"]["text"] == "plain\r\ntext"
    assert files["a.html"]["text"] == text_of_html(PAGE.encode())
    assert files["a.docx"]["text"] == "First\tline\ncome\ncell"
    assert "PDF" in files["a.pdf"]["problem"]
    assert "UTF-8" in files["latin.txt"]["problem"]
    assert "docx" in files["bad.docx"]["problem"]
    assert "<img src=x onerror=alert(1)>.rtf" in files["<img src=x onerror=alert(1)>.rtf"]["problem"]


def test_a_dropped_file_is_tested_as_it_is(written: Any, said: Any) -> None:
    text = written["en"]["texts"]["marked"] + "\r\nend"
    expected = stela.load(written["en"]["profile"]).detect(text)
    assert said["dropped"]["text"] == text
    assert said["dropped"]["source"] == "dropped.txt"
    assert said["dropped"]["p_value"] == pytest.approx(expected.p_value, rel=1e-9)


def test_a_check_can_be_cancelled_and_the_next_one_works(said: Any) -> None:
    assert said["cancelled"].startswith("Cancelled")
    assert 0 < said["seconds"] < 10  # under load; alone it takes far less than two
