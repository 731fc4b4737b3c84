"""Sizes, ranges and examples that pages state are those of the files and of the code."""

from __future__ import annotations

import csv
import io
import json
import lzma
import re
import shlex
import subprocess
import sys
import zipfile
from importlib.resources import files
from pathlib import Path

import pytest
from stela_cli.main import run
from stela_detection.canonical.characters import FILE
from stela_detection.canonical.form import canonical_text
from stela_page.holding import held_of
from stela_page.packing import packed
from stela_page.page import page_of
from stela_page.reproducible import TAGGERS
from stela_testing.texts import ENGLISH

import stela_core as stela

ROOT = Path(__file__).parents[1]
STEPS = ROOT / "plugins/stela-detection/tests/canonical/canonical_steps.md"
MB = 1_000_000


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def told_sizes() -> dict[str, float]:
    """MB of a page by scheme, or tagger or language of one, from the table of the page on checking."""
    rows = re.findall(r"^\| (`.*?) \| ([\d., ]+) \|$", page("checking.md"), re.MULTILINE)
    told: dict[str, float] = {}
    for what, sizes in rows:
        scheme, _, options = what.partition(":") if "`:" in what else what.partition(" with ")
        names = [name.strip("` ") for name in (options or scheme).split(",")]
        values = [float(size) for size in sizes.split(",")] * (1 if "," in sizes else len(names))
        told |= dict(zip(names, values, strict=True))
    return told


SIZES = told_sizes()
LANGUAGES = {"English": "en", "Chinese": "zh", "Korean": "ko"}


def test_all_sizes_are_read() -> None:
    taggers = {name if model == "shipped" else f"{name}:{model}" for name, model in TAGGERS}
    assert set(SIZES) == {"kgw", "gumbel", *LANGUAGES, *taggers}


@pytest.mark.deep(keep=["kgw"])
@pytest.mark.slow
@pytest.mark.parametrize("name", SIZES)
def test_sizes_of_pages_of_the_checker(name: str, tmp_path: Path) -> None:
    if name in LANGUAGES:
        made = stela.create("learned-text", model="tiny", language=LANGUAGES[name], key="public")
    elif name in ("kgw", "gumbel"):
        made = stela.create(name, model="tiny", key="public")
    else:
        made = stela.create("stela", model="tiny", tagger=name, key="public")
    made.save(tmp_path / "p.stela")
    size = len(page_of([held_of(tmp_path / "p.stela")]).encode())
    # Half a hundredth by rounding, the rest for zlib's of other versions.
    assert size / MB == pytest.approx(SIZES[name], abs=0.02)


def test_size_of_the_reader_of_pdf() -> None:
    [told] = re.findall(r"`--pdf` adds ([\d.]+) MB", page("checking.md"))
    program = (files("stela_page") / "built/pdf.js").read_bytes()
    assert len(packed(program)) / MB == pytest.approx(float(told), abs=0.01)


def test_sizes_of_the_learned_tables() -> None:
    """Unpacked, and zipped as in a profile: as the plugin's page says."""
    readme = (ROOT / "plugins/stela-learned/README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \|.*\| ([\d.]+) \| ([\d.]+) \|$", readme, re.MULTILINE)
    tables = sorted((ROOT / "plugins/stela-learned/stela_learned/tables").glob("*.json.xz"))
    assert sorted(name for name, _, _ in rows) == [table.name.partition(".")[0] for table in tables]
    for name, unpacked, zipped in rows:
        data = lzma.decompress((tables[0].parent / f"{name}.json.xz").read_bytes())
        assert len(data) / MB == pytest.approx(float(unpacked), abs=0.01), name
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("table.json", data)
        assert len(archive.getvalue()) / MB == pytest.approx(float(zipped), abs=0.02), name


def unigram_rates() -> tuple[list[int], list[tuple[float, float]]]:
    """Lengths, and the rates at 0.1 and 0.01 that docs/results has for them."""
    with (ROOT / "docs/results/benchmarks/fixed-key-rates.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.reader(file) if row[:3] == ["Unigram", "tiny", "Python code"]]
    return [int(row[3]) for row in rows], [(float(row[4]), float(row[5])) for row in rows]


def test_unigram_has_the_rates_of_the_results() -> None:
    lengths, told = unigram_rates()
    [row] = re.findall(r"^\| Unigram \|(.*)$", page("statistics.md"), re.MULTILINE)[:1]
    at_200 = re.findall(r"([\d.]+) \(([\d.]+)\)", row)
    assert tuple(map(float, at_200[3])) == told[lengths.index(200)]


@pytest.mark.slow
@pytest.mark.deep(stand_in="test_unigram_has_the_rates_of_the_results")
def test_unigram_under_one_key() -> None:
    """Code, whose documents are shipped: 100 keys, the worst of them; and the rate at 1e-3."""
    (lengths, told), text = unigram_rates(), page("statistics.md")
    command = [sys.executable, "-m", "benchmarks", "fixed-key", "--mark", "unigram", "--genres", "code"]
    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    rate = r"\s*([\d.]+) \[[^]]*\]"
    lines = re.findall(rf"code +(\d+) tokens.*at 0\.1 {rate}, at 0\.01 {rate}, at 0\.001 {rate}", printed)
    measured = {int(length): tuple(map(float, rates)) for length, *rates in lines}
    for length, cell in zip(lengths, told, strict=True):
        assert measured[length][:2] == cell, length
    [(times, length)] = re.findall(r"(\d+) times in code of (\d+)", " ".join(text.split()))
    assert round(measured[int(length)][2]) == int(times)


@pytest.mark.parametrize("name", ["statistics.md", "canonical-text.md"])
def test_examples_print_what_the_page_says(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = page(name)
    [code] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(code, {})
    for line in capsys.readouterr().out.splitlines():
        assert f"`{line}`" in text


@pytest.mark.deep(keep=["signing.md"])
@pytest.mark.slow
@pytest.mark.parametrize("name", ["signing.md", "reliability.md"])
def test_commands_of_a_page(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    stela.create("kgw", model="tiny", key="public").save("p.stela")
    Path("text.txt").write_text(f"{ENGLISH}\n", encoding="utf-8")
    commands = re.findall(r"^stela .*$", page(name), re.MULTILINE)
    assert commands
    for command in commands:
        assert run(shlex.split(command)[1:]) == 0, capsys.readouterr().err
    printed = capsys.readouterr()
    if name == "signing.md":
        [told] = re.findall(r"```\n(verdict.json: .*?)\n", page(name))
        assert told in printed.out.splitlines()
    else:
        [told] = re.findall(r"prints `(.*?)`", page(name))
        assert told in (printed.out + printed.err).splitlines()


def test_what_is_invisible_is_taken_out_but_for_what_the_page_names() -> None:
    """All default-ignorable characters between Latin letters; those with a use in their scripts are kept."""
    spaces = {0x3164, 0xFFA0}  # fillers: spaces, or nothing
    for pair in json.loads(FILE.read_text(encoding="utf-8"))["ranges"]:
        first, last = (int(end, 16) for end in pair.split("-"))
        for number in {*range(first, min(last, first + 300) + 1), last} - spaces:
            assert canonical_text(f"one{chr(number)}two").text == "onetwo", hex(number)
    kept = (
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian
        "\u0915\u094d\u200d\u0937",  # Hindi
        "\U0001f469\u200d\U0001f4bb",  # an emoji of two
        "\u2764\ufe0f",
        "1\ufe0f\u20e3",
        "\u1820\u180b",  # Mongolian
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",  # England's flag
    )
    for text in kept:
        assert canonical_text(text).text == text
    for rules in (page("canonical-text.md"), STEPS.read_text("utf-8")):
        step = re.findall(r"^6\. .*?(?=^7\. )", rules, re.MULTILINE | re.DOTALL)[0]
        for word in ("Persian", "Indic", "emoji", "Mongolian", "flags"):
            assert word in step
