"""The page in Chromium: what it finds, that it connects to nothing, and that everybody can use it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stela_documents.extract_html import text_of as text_of_html
from stela_documents.extract_pdf import text_of as text_of_pdf
from stela_models.cli.demo_languages import LANGUAGES
from stela_models.cli.demo_texts import HUMAN, PROMPTS
from stela_sign.profile_signature import signature_of
from stela_testing import run_cli

import stela_core as stela

pytestmark = [
    pytest.mark.slow,
    pytest.mark.deep(
        stand_in="plugins/stela-page/tests/test_same_refusals.py::test_what_stela_detect_takes_the_page_takes_with_equal_results"
    ),
]

PLUGIN = Path(__file__).parents[1]

MAKER = "Example News"

LONG_ENOUGH = ("--min-new-tokens", "100")
"""Under 3 keys of 40 the Chinese text ended after 20 tokens, too few to be found."""


@pytest.fixture(scope="module")
def written(
    in_browser: Callable[..., dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """Profiles, their pages and texts by language; nothing else is in the folder."""
    folder = tmp_path_factory.mktemp("page")
    pages: dict[str, Any] = {}
    for language, prompt in PROMPTS.items():
        profile, out = folder / f"{language}.stela", folder / f"{language}.jsonl"
        new = ["profile", "new", "--scheme", "learned-text", "--language", language, "--model", "tiny"]
        assert run_cli(*new, "--public-key", "-o", str(profile)).status == 0
        marked = ["generate", "--profile", str(profile), "--model", "tiny", "--prompt", prompt, *LONG_ENOUGH]
        assert run_cli(*marked, "-o", str(out)).status == 0
        text = json.loads(out.read_text(encoding="utf-8"))["text"]
        if language != "zh":  # one is not signed
            key = folder / f"{language}.pem"
            assert run_cli("key", "signing", "-o", str(key)).status == 0
            sign = ["profile", "sign", str(profile), "--signing-key", str(key), "--maker", MAKER]
            assert run_cli(*sign, "-o", str(profile), "--force").status == 0
        page = folder / f"{language}.html"
        assert run_cli("page", "--profile", str(profile), "-o", str(page)).status == 0
        if language == "ko":  # and one was changed on its way
            changed = page.read_text(encoding="utf-8").replace(f'\\"{MAKER}\\"', '\\"Somebody else\\"')
            assert "Somebody else" in changed
            page.write_text(changed, encoding="utf-8")
        texts = {"marked": text, "human": HUMAN[language], "short": text[:5]}
        pages[language] = {"path": str(page), "texts": texts, "profile": str(profile)}
    return pages


TAGGED = {"penn:causal": "en", "ctb:causal": "zh", "sejong:causal": "ko", "ja": "ja"}
"""Taggers of profiles, and their languages."""
LONG = 10_000


@pytest.fixture(scope="module")
def tagged(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Pages of profiles that are weighed by a tagger; each has a marked text, a human one, and a long one."""
    folder = tmp_path_factory.mktemp("tagged")
    pages: dict[str, Any] = {}
    for number, (tagger, language) in enumerate(TAGGED.items()):
        path, page = folder / f"{number}.stela", folder / f"{number}.html"
        watermark = stela.create("stela", model="tiny", language=language, key="public", tagger=tagger)
        watermark.save(path)
        made = folder / f"{number}.jsonl"
        shown = LANGUAGES[language]
        marked = ["generate", "--profile", str(path), "--model", "tiny", "--prompt", shown.prompt]
        assert run_cli(*marked, "-o", str(made)).status == 0
        assert run_cli("page", "--profile", str(path), "-o", str(page)).status == 0
        texts = {
            "marked": json.loads(made.read_text(encoding="utf-8"))["text"],
            "human": shown.human,
            "long": (PLUGIN / f"web/words/{language}.json").read_text(encoding="utf-8")[:LONG],
        }
        pages[tagger] = {"path": str(page), "texts": texts, "profile": str(path)}
    return pages


@pytest.fixture(scope="module")
def said(
    in_browser: Callable[..., dict[str, Any]],
    written: dict[str, Any],
    files: dict[str, str],
    links: dict[str, Any],
    pdf: dict[str, Any],
    tagged: dict[str, Any],
) -> Any:
    """What happened in the browser."""
    return in_browser("browser.mjs", pages=written, files=files, links=links, pdf=pdf, tagged=tagged)


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
        # Where nothing was found nothing is shaded: the text as it is goes into a print.
        assert (seen["shaded"], seen["plain"]) == ((text, None) if name == "marked" else (None, text))
    said_of = {name: said["texts"][language][name]["verdict"] for name in ("marked", "human", "short")}
    assert said_of["marked"] == "watermarked"
    assert said_of["human"] == "no watermark found"
    assert said_of["short"] == "insufficient text"


@pytest.mark.parametrize("tagger", TAGGED)
def test_weights_by_a_tagger_are_those_of_stela_detect(tagged: Any, said: Any, tagger: str) -> None:
    watermark = stela.load(tagged[tagger]["profile"])
    for name, text in tagged[tagger]["texts"].items():
        expected = watermark.detect(text)
        seen = said["tagged"][tagger]["seen"][name]
        assert seen["p_value"] == pytest.approx(expected.p_value, rel=1e-9)
        assert seen["verdict"] == expected.verdict
        assert seen["marks"][0]["scored_tokens"] == expected.scored_tokens
    # How strong a mark is turns on the key, and p may be 1; the long text has thousands of weighed tokens.
    assert 0 < min(seen["p_value"] for seen in said["tagged"][tagger]["seen"].values()) < 1
    assert said["tagged"][tagger]["seen"]["long"]["marks"][0]["scored_tokens"] > 1_000
    assert said["tagged"][tagger]["seen"]["long"]["verdict"] != "insufficient text"
    assert 0 < said["tagged"][tagger]["seen"]["long"]["seconds"] < 20  # under load; alone it takes far less
    assert watermark.contexts is not None
    head = json.loads(watermark.contexts.tagger.portable().partition(b"\n")[0])
    licence = f"({tagger}) may be used and handed on under {head['license']}"
    assert licence in said["tagged"][tagger]["licences"]


def test_the_page_speaks_the_visitors_language(said: Any) -> None:
    assert [said["texts"][language]["lang"] for language in ("en", "zh", "ko")] == ["en", "zh-Hans", "ko"]
    assert said["texts"]["en"]["marked"]["announced"].startswith("A mark was found")
    assert said["texts"]["zh"]["human"]["announced"].startswith("未发现水印")
    assert said["texts"]["ko"]["short"]["announced"].startswith("글이 너무 짧아")


def test_the_page_says_who_signed_and_whether_it_holds(written: Any, said: Any) -> None:
    signatures = {
        language: said["texts"][language]["marked"]["marks"][0]["signature"] for language in PROMPTS
    }
    signature = signature_of(written["en"]["profile"])
    assert signature is not None
    held = {"key": signature.key, "maker": MAKER, "time": signature.time}
    assert signatures == {
        "en": {"state": "holds", **held},
        "zh": {"state": "none"},
        "ko": {"state": "broken"},
    }
    english = said["texts"]["en"]
    for expected in (MAKER, "nobody checked the name", "The signature holds", signature.key, signature.time):
        assert expected in english["standing"]
    assert f"{MAKER} – its own word" in english["marked"]["details"]
    assert MAKER not in english["human"]["details"]
    assert "没有签名" in said["texts"]["zh"]["standing"]
    assert "유효하지 않습니다" in said["texts"]["ko"]["standing"]
    assert "유효하지 않습니다" in said["texts"]["ko"]["marked"]["details"]
    assert "Somebody else" not in said["texts"]["ko"]["standing"]


def test_a_link_brings_a_mark_and_says_so(links: Any, said: Any) -> None:
    expected = stela.load(links["profile"]).detect(links["text"])
    for name, signature in (("honest", "holds"), ("changed", "broken")):
        seen = said["links"][name]
        assert "만든 곳이 아니라 링크에서 왔습니다" in seen["linked"]
        assert seen["problem"] == ""
        [mark] = seen["report"]["marks"]
        assert seen["report"]["p_value"] == pytest.approx(expected.p_value, rel=1e-9)
        assert seen["report"]["verdict"] == "watermarked"
        assert mark["profile"]["name"] == "linked"
        assert mark["signature"]["state"] == signature
        assert "linked" in seen["standing"]
        assert (MAKER in seen["standing"]) == (signature == "holds")
        assert seen["after"].startswith("learned-text(영어, 키 ")
    for name, problem in (("lenient", "잘렸거나"), ("elsewhere", "토크나이저"), ("cut", "잘렸거나")):
        seen = said["links"][name]
        assert seen["linked"] is None
        assert problem in seen["problem"]
        assert seen["report"]["marks"][0]["profile"]["name"] == "en"
    assert [found for seen in said["links"].values() for found in seen["axe"]] == []


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


def test_files_are_read_as_stela_detect_reads_them(files: dict[str, str], said: Any) -> None:
    page = Path(files["a.html"]).read_bytes()
    read = said["files"]
    assert read["a.txt"]["text"] == "plain\r\ntext"
    assert read["a.html"]["text"] == text_of_html(page)
    assert read["a.docx"]["text"] == "First\tline\ncome\ncell"
    for name in files:
        if name.startswith("gloss") and name.endswith(".html"):
            assert read[name]["text"] == text_of_html(Path(files[name]).read_bytes()), name
    assert read["a.xhtml"]["text"] == text_of_html(Path(files["a.xhtml"]).read_bytes()) == "a < b"
    assert read["glosses.docx"]["text"] == "base\n\nseen"
    assert (read["utf-16.txt"]["text"], read["big.md"]["text"]) == ("plain 漢字 text", "plain text")
    assert "PDF" in read["a.pdf"]["problem"]
    assert "UTF-8" in read["latin.txt"]["problem"]
    assert "docx" in read["bad.docx"]["problem"]
    assert "<img src=x onerror=alert(1)>.rtf" in read["<img src=x onerror=alert(1)>.rtf"]["problem"]


def letters(text: str) -> str:
    return "".join(text.split())


def test_a_page_that_reads_pdfs_reads_the_letters_that_stela_detect_does(pdf: Any, said: Any) -> None:
    for language in PROMPTS:
        seen = said["pdf"][language]
        assert seen["problem"] == ""
        expected = text_of_pdf((Path(pdf["folder"]) / f"{language}.pdf").read_bytes())
        # Two libraries do not agree on spaces where a line ends or the font changes, as within a Korean word.
        assert letters(seen["text"]) == letters(expected)
        # A font gives some Chinese letters back as radicals that look like them; where the machine has no
        # font for a script, the PDF holds boxes for its letters.
        if language != "zh" and "\0" not in expected:
            assert letters(seen["text"]) == letters(pdf["texts"][language])
        assert seen["kinds"].endswith(", .pdf")
    assert "spells its letters by tables" in said["pdf"]["letters"]["problem"]
    assert "holds no text that can be read" in said["pdf"]["empty"]["problem"]
    assert "holds no text that can be read" in said["pdf"]["damaged"]["problem"]


def test_a_dropped_file_is_tested_as_it_is(written: Any, said: Any) -> None:
    text = written["en"]["texts"]["marked"] + "\r\nend"
    expected = stela.load(written["en"]["profile"]).detect(text)
    assert said["dropped"]["text"] == text
    assert said["dropped"]["source"] == "dropped.txt"
    assert said["dropped"]["p_value"] == pytest.approx(expected.p_value, rel=1e-9)


def test_a_check_can_be_cancelled_and_the_next_one_works(said: Any) -> None:
    assert said["cancelled"].startswith("Cancelled")
    assert 0 < said["seconds"] < 10  # under load; alone it takes far less than two
