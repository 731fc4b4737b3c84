"""Make the samples that keys are checked on: prose, code, tables and lists.

    git clone --depth 1 -b 3.11 https://github.com/python/python-docs-zh-cn
    git clone --depth 1 -b 3.13 https://github.com/python/python-docs-ko
    python build_genres.py python-docs-zh-cn python-docs-ko ../stela_corpora/sample/genres

Code, and facts in tables and lists, are those of the Python that runs it (3.11.7) and of tzdata (2026.6).
"""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

from genre_code import code
from genre_files import spread, write
from genre_lists import lists
from genre_prose import prose
from genre_tables import tables

MOST = 240
"""Documents of each."""


def main(chinese: str, korean: str, target: str) -> None:
    folder = Path(target)
    folder.mkdir(parents=True, exist_ok=True)
    library = Path(sysconfig.get_paths()["stdlib"])
    made = {
        "prose-en": prose(Path(chinese), "en"),
        "prose-zh": prose(Path(chinese), "zh"),
        "prose-ko": prose(Path(korean), "ko"),
        "code": code(library),
        "tables": tables(),
        "lists": lists(library),
    }
    for name, documents in made.items():
        write(folder / f"{name}.jsonl.xz", spread(documents, MOST))


if __name__ == "__main__":
    main(*sys.argv[1:])
