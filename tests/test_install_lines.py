"""Every line of the pages that installs names what there is, and works where no index knows this project."""

from __future__ import annotations

import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.helpers import for_each

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    *sorted(page for page in ROOT.glob("docs/*.md") if not page.name.startswith("README.")),
    ROOT / "bundle" / "README.md",
    *sorted(ROOT.glob("plugins/*/README.md")),
]
INSTALL: dict[str, Any] = runpy.run_path(str(ROOT / "scripts" / "install.py"))
EXTRAS: dict[str, set[str]] = {
    name: set(project.get("optional-dependencies", {}))
    for name, (_, project) in INSTALL["projects"]().items()
}
"""By distribution of this project."""
BLOCK = re.compile(
    r"^(?:    )?((?:sudo \S*/)?(?:pip3?|pipx|uvx?|make install|make wheels)\b.*)$", re.MULTILINE
)
INLINE = re.compile(r"`((?:pip install|make install|uvx|uv run) [^`]+)`")
OURS = re.compile(r"(stela-[a-z0-9-]+)(?:\[([a-z,]+)\])?")
ENGINES = {"vllm", "llama-cpp-python", "mlx-lm"}
"""Others' programs, gigabytes or of another machine: the tests of engines install them."""
MADE = {"./stela-tr"}
"""A folder that the page itself makes."""
CORE = ("README.md", "docs/install.md", "bundle/README.md")


class Line(NamedTuple):
    page: str
    words: list[str]

    def __str__(self) -> str:
        return f"{self.page}: {shlex.join(self.words)}"


def lines_of(page: Path) -> Iterator[Line]:
    """In order, without comments."""
    text = page.read_text(encoding="utf-8")
    found = sorted([*BLOCK.finditer(text), *INLINE.finditer(text)], key=lambda match: match.start())
    for match in found:
        yield Line(page.relative_to(ROOT).as_posix(), shlex.split(match[1], comments=True))


LINES = [line for page in PAGES for line in lines_of(page)]


def words_of_make(line: Line) -> list[str]:
    """What ``WITH`` names."""
    [*named] = [word.partition("=")[2].split() for word in line.words if word.startswith("WITH=")]
    return named[0] if named else ["detect"]


def test_lines_are_read_from_blocks_and_sentences() -> None:
    assert len(LINES) > 120
    assert {line.page for line in LINES} >= {*CORE, "plugins/stela-tr/README.md", "docs/languages.md"}
    text = 'a\n```\npip install "stela-kgw" # it\n```\nor `make install WITH="tr penn"`.\n'
    assert [match[1] for pattern in (BLOCK, INLINE) for match in pattern.finditer(text)] == [
        'pip install "stela-kgw" # it',
        'make install WITH="tr penn"',
    ]
    assert words_of_make(Line("", shlex.split('make install WITH="tr penn"'))) == ["tr", "penn"]


@for_each("line", LINES)
def test_names_what_there_is(line: Line) -> None:
    """Each distribution, extra, folder and file is one of this clone, so no index is asked for it."""
    if line.words[:2] == ["make", "install"]:
        assert list(INSTALL["in_place"](words_of_make(line)))
        assert {word.partition("=")[0] for word in line.words[2:]} <= {"WITH", "VENV", "PYTHON"}
    for word, before in zip(line.words, ["", *line.words], strict=False):
        if "/" in word and word.startswith((".", "plugins")):
            assert word in MADE or (ROOT / word).exists(), word
        elif match := OURS.fullmatch(word):
            assert match[1] in EXTRAS, word
            assert {*(match[2] or "").split(",")} - {""} <= EXTRAS[match[1]], word
        elif before == "--extra":
            assert word in EXTRAS["stela-core"], word


def test_a_word_that_is_not_known_is_told() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "install.py"), "nowhere", "--with"]
    for words, told in (
        ("genrate", '"genrate" is not known here; did you mean "generate"?'),
        ("zzz", '"zzz" is not known here; known are detect, generate, '),
        ("metrics[nothing]", '"metrics[nothing]": the extras of stela-metrics are judge, quality, reference'),
        ("tr; true", '"tr;" is not known here; did you mean "tr"?'),
    ):
        refused = subprocess.run([*command, words], capture_output=True, text=True, check=False)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert refused.stderr.startswith(told)


def test_what_is_needed_is_installed_with_it() -> None:
    def named(*words: str) -> set[str]:
        return {Path(path).name for path in INSTALL["in_place"](words) if path != "--editable"}

    assert {"stela-tr", "stela-causal", "stela-kernels", ROOT.name} <= named("tr")
    assert "stela-cli" not in named("tr")
    assert "stela-kernels[numba]" not in named("detect")
    assert {"bundle[generate]", "stela-tiny", "stela-kernels[numba]"} <= named("generate")
    assert named("stela-tr") == named("tr")


# What follows installs: from a copy of the clone, into empty environments.


def said(*command: str | Path, cwd: Path, **settings: str) -> str:
    """A command's output, in an environment without this one's settings of Python."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "VIRTUAL", "MAKE"))
    }
    done = subprocess.run(
        command,
        cwd=cwd,
        env=kept | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{shlex.join(map(str, command))}\n{done.stdout}"
    return done.stdout


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What git holds or would hold of this folder: nothing that was built or installed in it."""
    home = tmp_path_factory.mktemp("clone")
    listed = said("git", "ls-files", "-z", "-co", "--exclude-standard", cwd=ROOT).split("\0")
    for name in filter(None, listed):
        if (ROOT / name).is_file():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, home / name)
    return home


@pytest.fixture(scope="module")
def wheels(clone: Path) -> Path:
    said(sys.executable, "-m", "scripts.build_wheels", "dist", cwd=clone)
    return clone / "dist"


def uv() -> list[str]:
    """Its command; where there is none, the test is skipped."""
    if shutil.which("uv"):
        return ["uv"]
    return [sys.executable, "-m", "uv"] if find_spec("uv") else pytest.skip("uv is not installed")


def settings(*places: Path) -> dict[str, str]:
    """Variables with which uv and pip look at these folders too, and uv where pip looks."""
    told = INSTALL["settings_of_pip"](Path(sys.executable))
    links = [*map(str, places), *told.get("find-links", [])]
    own = {
        "PIP_FIND_LINKS": " ".join(links),
        "UV_FIND_LINKS": ",".join(links),
        "UV_CONSTRAINT": str(ROOT / "constraints.txt"),
        "PIP_CONSTRAINT": str(ROOT / "constraints.txt"),
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_DEFAULT_INDEX": "".join(told.get("index-url", [])),
        "UV_EXTRA_INDEX_URL": " ".join(told.get("extra-index-url", [])),
        "SSL_CERT_FILE": "".join(told.get("cert", [])[-1:]),
    }
    return {name: value for name, value in own.items() if value}


def empty(folder: Path, *options: str) -> Path:
    """A new environment's Python."""
    said(*uv(), "venv", "--quiet", "--python", sys.executable, *options, str(folder), cwd=folder.parent)
    return folder / "bin" / "python"


def pip_lines(page: str) -> list[list[str]]:
    """What a page has pip install, without engines."""
    lines = [line.words for line in LINES if line.page == page and line.words[:2] == ["pip", "install"]]
    asked = [[word for word in words[2:] if word not in ENGINES] for words in lines]
    return [words for words in asked if not any("/" in word or word[0] in "-." for word in words)]


INSTALLS = pytest.mark.skipif(
    "STELA_INSTALLS" not in os.environ,
    reason="installs gigabytes: STELA_INSTALLS=1 (make release-check)",
)


@INSTALLS
@pytest.mark.deep(stand_in="tests/test_install_lines.py::test_names_what_there_is")
@pytest.mark.slow
@pytest.mark.parametrize("page", sorted({line.page for line in LINES if pip_lines(line.page)}))
def test_pip_lines_of_a_page_install_from_wheels(page: str, wheels: Path, tmp_path: Path) -> None:
    """Together, into one environment; uv does what pip does, in a twentieth of the time."""
    python = empty(tmp_path / "environment")
    for words in pip_lines(page):
        said(*uv(), "pip", "install", "--quiet", "--python", python, *words, cwd=tmp_path, **settings(wheels))
    if (python.parent / "stela").exists():
        assert "broken" not in said(python.parent / "stela", "plugins", cwd=tmp_path)


@INSTALLS
@pytest.mark.deep(stand_in="tests/test_install_lines.py::test_what_is_needed_is_installed_with_it")
@pytest.mark.slow
def test_a_clone_gives_a_verdict_a_marked_text_and_a_turkish_profile(clone: Path) -> None:
    """Two commands to a verdict without torch, two more to a marked text, one more to the profile."""
    stela, python = (clone / ".venv" / "bin" / name for name in ("stela", "python"))
    said("make", "install", cwd=clone)
    shown = ["--profile", "examples/synthid.stela"]
    assert " watermarked " in said(stela, "detect", *shown, "examples/marked.txt", cwd=clone)
    heavy = "from importlib.util import find_spec; print(*filter(find_spec, ('torch', 'transformers')))"
    assert said(python, "-c", heavy, cwd=clone).strip() == ""
    said("make", "install", "WITH=generate tr", cwd=clone)
    said(stela, "generate", *shown, "--model", "tiny", "--prompt", "The city", "-o", "o.jsonl", cwd=clone)
    assert " watermarked " in said(stela, "detect", *shown, "o.jsonl", cwd=clone)
    new = ["profile", "new", "--scheme", "stela", "--language", "tr", "--model", "tiny", "--public-key"]
    said(stela, *new, "-o", "tr.stela", cwd=clone)
    assert "stela-tr" in said(stela, "profile", "show", "tr.stela", "--json", cwd=clone)


@INSTALLS
@pytest.mark.deep(stand_in="tests/test_distributions.py::test_uv_takes_all_from_the_clone")
@pytest.mark.slow
def test_uv_lines_of_the_page_install_from_a_clone(clone: Path, tmp_path: Path) -> None:
    """With a lock that git does not hold."""
    lines = [line.words for line in LINES if line.page == "docs/install.md" and line.words[0] == "uv"]
    home = tmp_path / "clone"
    shutil.copytree(clone, home, ignore=shutil.ignore_patterns(".venv*", "dist", "*.egg-info"))
    assert [words[1] for words in lines][:3] == ["sync", "pip", "run"]
    for words in lines[:3]:
        # Named by a path, an interpreter is where `uv pip` installs: the environment of this test.
        asked = settings() if words[1] == "pip" else {"UV_PYTHON": sys.executable, **settings()}
        printed = said(*uv(), *words[1:], cwd=home, **asked)
    where = "import stela_kernels; print(stela_kernels.__path__[0])"
    assert said(sys.executable, "-c", where, cwd=tmp_path).strip() == str(
        ROOT / "plugins" / "stela-kernels" / "stela_kernels"
    )
    assert printed.splitlines()[-1].startswith("stela, version ")
    assert "uv.lock" in (home / ".gitignore").read_text(encoding="utf-8").split()
