"""``python -m scripts.write_lookalikes confusables.txt``: the letters that stand in for Latin ones.

From Unicode's confusables.txt: letters of Greek (and Coptic), Cyrillic and Armenian (U+0370 to U+058F) whose
prototype is one ASCII letter. A capital whose prototype is "l", which stands for the capital I there, becomes
"I". U+04CF is left out: versions of the file disagree about it.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from unicodedata import name

from stela_detection.canonical.lookalikes import FILE

LICENCE = "Unicode License v3, https://www.unicode.org/license.txt"
LEFT_OUT = {"\u04cf"}


def lookalikes(confusables: str) -> dict[str, str]:
    """Letter to Latin letter, in the order of the code points."""
    letters = {}
    for line in confusables.lstrip("\ufeff").splitlines():
        fields = [field.strip() for field in line.partition("#")[0].split(";")]
        if len(fields) < 3 or len(fields[0]) > 4 or not 0x370 <= int(fields[0], 16) < 0x590:
            continue
        letter = chr(int(fields[0], 16))
        prototype = "".join(chr(int(code, 16)) for code in fields[1].split())
        if not re.fullmatch("[A-Za-z]", prototype) or letter in LEFT_OUT:
            continue
        letters[letter] = "I" if prototype == "l" and "CAPITAL" in name(letter) else prototype
    return dict(sorted(letters.items()))


def main() -> None:
    confusables = Path(sys.argv[1]).read_text(encoding="utf-8")
    [version] = re.findall(r"^# Version: (\S+)", confusables, re.MULTILINE)
    made = {
        "source": "confusables.txt of Unicode Technical Standard 39",
        "version": version,
        "copyright": "Copyright (c) 1991-2026 Unicode, Inc.",
        "licence": LICENCE,
        "letters": lookalikes(confusables),
    }
    FILE.write_text(json.dumps(made, ensure_ascii=True, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
