"""Make the plugins of the shipped languages anew.

    python -m scripts.make_languages --data DIR [CODE ...] [-o FOLDER]

One ``stela language new`` for each, with the treebanks and texts below. A stopped run goes on.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from scripts.data_sources import Source, read_sources, spdx_of

ROOT = Path(__file__).parents[1]


class Recipe(NamedTuple):
    """What a language is made of: files without folder and ending."""

    name: str
    train: str
    """Treebank files to learn from: all of the language but the test part, where they agree on words."""
    test: str
    """Test parts; empty: a tenth of the sentences is held out."""
    corpora: str


LANGUAGES = {
    "ar": Recipe("Arabic", "ar_pud-ud-test", "", "docs xquad"),
    "de": Recipe("German", "de_gsd-ud-dev de_pud-ud-test", "de_gsd-ud-test", "docs novels wikipedia"),
    "es": Recipe(
        "Spanish",
        "es_ancora-ud-dev es_ancora-ud-test es_gsd-ud-dev",
        "es_gsd-ud-test",
        "docs novels openstax xquad",
    ),
    "fr": Recipe(
        "French",
        "fr_sequoia-ud-train fr_sequoia-ud-dev fr_gsd-ud-dev fr_pud-ud-test",
        "fr_gsd-ud-test fr_sequoia-ud-test",
        "docs novels pydocs",
    ),
    "hi": Recipe("Hindi", "hi_pud-ud-test", "", "docs libreoffice xquad"),
    "id": Recipe("Indonesian", "id_gsdold-train id_gsd-ud-dev", "id_gsd-ud-test", "docs wikipedia"),
    "ja": Recipe(
        "Japanese", "ja_gsd-ud-dev ja_pud-ud-test", "ja_gsd-ud-test", "aozora docs jsquad wikipedia"
    ),
    "pt": Recipe(
        "Portuguese", "pt_bosque-documents-train pt_bosque-ud-dev", "pt_bosque-ud-test", "docs novels pydocs"
    ),
    "ru": Recipe(
        "Russian",
        "ru_taigaold-train ru_taiga-ud-dev ru_gsd-ud-dev ru_pud-ud-test",
        "ru_gsd-ud-test ru_taiga-ud-test",
        "docs novels xquad",
    ),
    "tr": Recipe(
        "Turkish",
        "tr_kenet-ud-dev tr_penn-ud-dev tr_penn-ud-test tr_framenet-ud-train tr_boun-ud-dev",
        "tr_kenet-ud-test tr_boun-ud-test",
        "docs libreoffice pydocs xquad",
    ),
    "vi": Recipe("Vietnamese", "vi_vtb-ud-train vi_vtb-ud-dev", "vi_vtb-ud-test", "docs wikipedia xquad"),
}
"""Spoken, metrical and very repetitive treebanks are left out; of two word divisions the newer is tested."""


def command(code: str, data: Path, sources: dict[str, Source], folder: Path) -> list[str]:
    """The command that makes a language; its licences are those of its files."""
    recipe = LANGUAGES[code]
    treebanks = {file.name.removesuffix(".conllu.xz"): file for file in data.glob("ud/*/*.conllu.xz")}
    texts = [data / "corpora" / code / f"{name}.jsonl.gz" for name in recipe.corpora.split()]
    files = [
        *(("--conllu", treebanks[name]) for name in recipe.train.split()),
        *(("--test", treebanks[name]) for name in recipe.test.split()),
        *(("--corpus", file) for file in texts),
    ]
    licences = spdx_of(sources[sha256_of(file)] for _, file in files)
    words = ["language", "new", "--code", code, "--name", recipe.name, "-o", str(folder)]
    options = [*files, *(("--licence", licence) for licence in licences)]
    return [sys.executable, "-m", "stela_cli", *words, *(str(word) for option in options for word in option)]


def ship(folder: Path, data: Path, sources: dict[str, Source]) -> None:
    """Make a plugin one of this project: its version, its name on the index, the sources of its files."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

    def with_source(line: re.Match[str]) -> str:
        source = sources[line["sha256"]]
        return f"{line['before']}: {source.where}; {source.licence} (sha256 {line['sha256']})"

    rewrite(folder / "NOTICE", r"(?P<before>- .*) \(sha256 (?P<sha256>[0-9a-f]{64})\)", with_source)
    rewrite(folder / "pyproject.toml", r'version = "0\.1\.0"', f'version = "{version}"')
    rewrite(folder / "README.md", r"pip install \./", "pip install ")
    if "LGPLLR" in (folder / "NOTICE").read_text(encoding="utf-8"):
        # The licence has to go along with what is made from its data.
        [text] = data.glob("ud/fr_sequoia/LICENSE.txt")
        shutil.copyfile(text, folder / "LICENSE.LGPLLR")
        rewrite(folder / "pyproject.toml", r'"LICENSE", "NOTICE"', '"LICENSE", "LICENSE.LGPLLR", "NOTICE"')


def rewrite(file: Path, pattern: str, new: str | Callable[[re.Match[str]], str]) -> None:
    """Replace what must be there.

    Raises:
        ValueError: it is not.
    """
    text, places = re.subn(pattern, new, file.read_text(encoding="utf-8"))
    if not places:
        raise ValueError(f"{file} has no {pattern}")
    file.write_text(text, encoding="utf-8")


def sha256_of(file: Path) -> str:
    """Hash of a file, in hex."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def main() -> None:
    """Make the languages that are not there yet."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("codes", nargs="*", choices=[[], *LANGUAGES], metavar="CODE")
    parser.add_argument("--data", type=Path, required=True, help="folder with ud, corpora and README.md")
    parser.add_argument("-o", "--output", type=Path, default=Path("plugins"))
    parser.add_argument("--dry-run", action="store_true", help="print the commands alone")
    given = parser.parse_args()
    sources = read_sources(given.data)
    for code in given.codes or LANGUAGES:
        folder = given.output / f"stela-{code}"
        if folder.exists():
            continue
        try:
            words = command(code, given.data, sources, folder)
        except ValueError as error:
            sys.exit(str(error))
        print(shlex.join(words), flush=True)
        if not given.dry_run:
            subprocess.run(words, check=True)
            ship(folder, given.data, sources)


if __name__ == "__main__":
    main()
