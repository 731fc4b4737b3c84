"""Make the plugins of the shipped languages anew.

    python -m scripts.make_languages --data DIR [CODE ...] [-o FOLDER]

One ``stela language new`` for each, with the treebanks, texts and licences below. A stopped run goes on.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

BY_4, SA_3, SA_4 = "CC-BY-4.0", "CC-BY-SA-3.0", "CC-BY-SA-4.0"
FREE = "LicenseRef-public-domain"


class Recipe(NamedTuple):
    """What a language is made of: files without folder and ending."""

    name: str
    train: str
    """Treebank files to learn from: all of the language but the test part, where they agree on words."""
    test: str
    """Test parts; empty: a tenth of the sentences is held out."""
    corpora: str
    licences: tuple[str, ...]


LANGUAGES = {
    "ar": Recipe("Arabic", "ar_pud-ud-test", "", "docs xquad", (SA_3, SA_4, BY_4)),
    "de": Recipe(
        "German", "de_gsd-ud-dev de_pud-ud-test", "de_gsd-ud-test", "docs novels wikipedia",
        (SA_4, SA_3, BY_4, "BSD-2-Clause", FREE),
    ),
    "es": Recipe(
        "Spanish", "es_ancora-ud-dev es_ancora-ud-test es_gsd-ud-dev", "es_gsd-ud-test",
        "docs novels openstax xquad", (SA_4, SA_3, BY_4, "BSD-2-Clause", "CC0-1.0", "PSF-2.0", FREE),
    ),
    "fr": Recipe(
        "French", "fr_sequoia-ud-train fr_sequoia-ud-dev fr_gsd-ud-dev fr_pud-ud-test",
        "fr_gsd-ud-test fr_sequoia-ud-test", "docs novels pydocs",
        (SA_4, SA_3, BY_4, "LGPLLR", "BSD-2-Clause", "CC0-1.0", "PSF-2.0", FREE),
    ),
    "hi": Recipe("Hindi", "hi_pud-ud-test", "", "docs libreoffice xquad", (SA_3, SA_4, BY_4, "MPL-2.0")),
    "id": Recipe(
        "Indonesian", "id_gsdold-train id_gsd-ud-dev", "id_gsd-ud-test", "docs wikipedia",
        (SA_4, SA_3, BY_4, "BSD-2-Clause"),
    ),
    "ja": Recipe(
        "Japanese", "ja_gsd-ud-dev ja_pud-ud-test", "ja_gsd-ud-test", "aozora docs jsquad wikipedia",
        (SA_4, SA_3, BY_4, "BSD-2-Clause", FREE),
    ),
    "pt": Recipe(
        "Portuguese", "pt_bosque-documents-train pt_bosque-ud-dev", "pt_bosque-ud-test",
        "docs novels pydocs", (SA_4, SA_3, BY_4, "BSD-2-Clause", "CC0-1.0", "PSF-2.0", FREE),
    ),
    "ru": Recipe(
        "Russian", "ru_taigaold-train ru_taiga-ud-dev ru_gsd-ud-dev ru_pud-ud-test",
        "ru_gsd-ud-test ru_taiga-ud-test", "docs novels xquad", (SA_4, SA_3, BY_4, "BSD-2-Clause", FREE),
    ),
    "tr": Recipe(
        "Turkish", "tr_kenet-ud-dev tr_penn-ud-dev tr_penn-ud-test tr_framenet-ud-train tr_boun-ud-dev",
        "tr_kenet-ud-test tr_boun-ud-test", "docs libreoffice pydocs xquad",
        (SA_4, SA_3, BY_4, "BSD-2-Clause", "CC0-1.0", "PSF-2.0", "MPL-2.0"),
    ),
    "vi": Recipe(
        "Vietnamese", "vi_vtb-ud-train vi_vtb-ud-dev", "vi_vtb-ud-test", "docs wikipedia xquad",
        (SA_4, SA_3, BY_4),
    ),
}  # fmt: skip
"""Spoken, metrical and very repetitive treebanks are left out; of two word divisions the newer is tested."""


def command(code: str, data: Path, output: Path) -> list[str]:
    """The command that makes a language."""
    recipe = LANGUAGES[code]
    words = ["language", "new", "--code", code, "--name", recipe.name, "-o", str(output / f"stela-{code}")]
    for option, names in (("--conllu", recipe.train), ("--test", recipe.test)):
        for name in names.split():
            [file] = (data / "ud").glob(f"*/{name}.conllu.xz")
            words += [option, str(file)]
    for name in recipe.corpora.split():
        words += ["--corpus", str(data / "corpora" / code / f"{name}.jsonl.gz")]
    for licence in recipe.licences:
        words += ["--licence", licence]
    return [sys.executable, "-m", "stela_core", *words]


def ship(folder: Path) -> None:
    """Give a plugin the version of this project, and the name on the index in place of a folder's."""
    root = Path(__file__).parents[1]
    version = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    for name, old, new in (
        ("pyproject.toml", 'version = "0.1.0"', f'version = "{version}"'),
        ("README.md", "pip install ./", "pip install "),
    ):
        text = (folder / name).read_text(encoding="utf-8")
        (folder / name).write_text(text.replace(old, new), encoding="utf-8")


def main() -> None:
    """Make the languages that are not there yet."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("codes", nargs="*", choices=[[], *LANGUAGES], metavar="CODE")
    parser.add_argument("--data", type=Path, required=True, help="folder with ud and corpora")
    parser.add_argument("-o", "--output", type=Path, default=Path("plugins"))
    given = parser.parse_args()
    for code in given.codes or LANGUAGES:
        if not (given.output / f"stela-{code}").exists():
            print(f"== {code}", flush=True)
            subprocess.run(command(code, given.data, given.output), check=True)
            ship(given.output / f"stela-{code}")


if __name__ == "__main__":
    main()
