"""The page in Chromium: its p-values are those of ``stela detect``, and it connects to nothing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import stela_core as stela
from stela_core.cli.main import build_cli

PLUGIN = Path(__file__).resolve().parents[1]
NODE = shutil.which("node")
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(NODE is None, reason="needs node 20 or newer"),
    pytest.mark.skipif(not (PLUGIN / "node_modules").is_dir(), reason="needs npm ci in plugins/stela-page"),
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: CHROMIUM names it"),
]

PROMPTS = {
    "en": "The history of the city",
    "zh": "这座城市的历史",
    "ko": "이 도시의 역사는",
}
HUMAN = (
    "The ferry left at nine, an hour late, and nobody on the quay seemed to mind. A man with a crate of "
    "pears asked whether the road over the hills was open again; it was, they said, but only for carts."
)
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


@pytest.fixture(scope="module")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One a language; the name of one is markup."""
    folder = tmp_path_factory.mktemp("profiles")
    names = {"en": "en", "zh": "zh <img src=x onerror=document.title=1>", "ko": "ko"}
    made = {}
    for code, name in names.items():
        made[code] = folder / f"{name}.stela"
        stela.create("learned-text", model="tiny", language=code, key="public").save(made[code])
    return made


@pytest.fixture(scope="module")
def texts(profiles: dict[str, Path]) -> dict[str, str]:
    """Marked ones by language; and one that a person wrote."""
    model, tokenizer = stela.load_model("tiny")
    written = {}
    for code, prompt in PROMPTS.items():
        watermark = stela.load(profiles[code])
        inputs = tokenizer([prompt], return_tensors="pt", return_token_type_ids=False)
        processor = watermark.logits_processor(tokenizer)
        made = model.generate(
            **inputs, do_sample=True, min_new_tokens=70, max_new_tokens=70, logits_processor=[processor]
        )
        written[code] = tokenizer.decode(made[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
    return {**written, "human": HUMAN}


@pytest.fixture(scope="module")
def seen(
    profiles: dict[str, Path], texts: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """What web/browser/check.mjs tells of the page of these profiles."""
    folder = tmp_path_factory.mktemp("page")
    page = folder / "verify.html"
    words = [word for path in profiles.values() for word in ("--profile", str(path))]
    done = CliRunner().invoke(build_cli(stela.create_registry()), ["page", *words, "-o", str(page)])
    assert done.exit_code == 0, done.output
    (folder / "a.txt").write_text(texts["en"], encoding="utf-8")
    (folder / "a.html").write_text(f"<title>no</title><p>{texts['en']}</p>", encoding="utf-8")
    run = f"<w:r><w:t>{texts['en']}</w:t></w:r>"
    body = f'<w:document xmlns:w="{WORD}"><w:body><w:p>{run}</w:p></w:body></w:document>'
    with zipfile.ZipFile(folder / "a.docx", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("word/document.xml", body)
    (folder / "a.pdf").write_bytes(b"%PDF-1.7\n")
    (folder / "bad.docx").write_bytes(b"PK\x03\x04 and nothing more")
    files = [str(folder / name) for name in ("a.txt", "a.html", "a.docx", "a.pdf", "bad.docx")]
    job = {
        "page": str(page),
        "chromium": CHROMIUM,
        "texts": list(texts.values()),
        "files": files,
        "pictures": os.environ.get("PICTURES"),
    }
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
    command = [str(NODE), str(PLUGIN / "web" / "browser" / "check.mjs"), str(folder / "job.json")]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stderr
    told: dict[str, Any] = json.loads(ran.stdout)
    return told


def test_p_values_are_those_of_detect(
    seen: dict[str, Any], profiles: dict[str, Path], texts: dict[str, str]
) -> None:
    """Alone as stela detect gives them; together times the number of marks, as stela detect --profiles."""
    for (code, text), check in zip(texts.items(), seen["checks"], strict=True):
        report = check["report"]
        alone = {mark["profile"]["name"]: mark for mark in report["marks"]}
        assert report["tests"] == len(alone) == len(profiles)
        smallest = 1.0
        for path in profiles.values():
            expected = stela.load(path).detect(text)
            mark = alone[path.stem]
            assert mark["p_value_alone"] == pytest.approx(expected.p_value, rel=1e-9)
            assert mark["scored_tokens"] == expected.scored_tokens
            assert mark["unique_pairs"] == expected.unique_pairs
            smallest = min(smallest, expected.p_value)
        assert report["p_value"] == pytest.approx(min(1, smallest * len(profiles)), rel=1e-9)
        assert report["text"] == text
        if code == "human":
            assert check["verdict"] == "No mark was found"
        else:
            assert check["verdict"] == "A mark was found"
            assert check["odds"].startswith("Fewer than 1 in ")
        assert check["shaded"] == [text]


def test_nothing_is_asked_for_outside(seen: dict[str, Any]) -> None:
    """No request, and none would get out: the policy forbids even what a script in the page tries."""
    assert seen["requests"] == []
    assert seen["blocked"] == ["TypeError", "refused"]
    assert "default-src 'none'" in seen["policy"]
    assert "connect-src 'none'" in seen["policy"]
    assert "unsafe" not in seen["policy"]


def test_words_of_strangers_are_no_markup(seen: dict[str, Any]) -> None:
    assert seen["elements"] == 0
    assert seen["errors"] == []
    assert seen["title"] == "Does this text carry a mark?"


def test_files(seen: dict[str, Any]) -> None:
    text, html, docx, pdf, broken = seen["files"]
    for one, name in ((text, "a.txt"), (html, "a.html"), (docx, "a.docx")):
        assert one["verdict"] == "A mark was found", name
        assert one["report"]["source"] == name
        assert one["report"]["text"] == seen["checks"][0]["report"]["text"], name
    assert pdf["problem"].startswith("PDF files cannot be read here")
    assert "is no .docx document" in broken["problem"]
    assert seen["dropped"]["report"]["source"] == "dropped.txt"
    assert seen["dropped"]["report"]["p_value"] == text["report"]["p_value"]


def test_people_of_all_kinds(seen: dict[str, Any]) -> None:
    """axe finds nothing in any language and light; nothing is cut off on a phone; a keyboard is enough."""
    assert seen["axe"] == []
    assert seen["widths"]
    for what, width in seen["widths"].items():
        assert width <= int(what.rsplit(" ", 1)[1]), what
    assert seen["order"][:2] == ["language", "text"]
    assert seen["order"][-1] == "clear"
    assert seen["keyboard"] == "A mark was found"
    assert len(set(seen["titles"].values())) == 3
