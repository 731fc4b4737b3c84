"""``python -m scripts.write_ignorable DerivedCoreProperties.txt [OUT]``: the characters that no reader sees.

From the Unicode Character Database: all code points with the property Default_Ignorable_Code_Point, those
that are not assigned yet included. Which of them mean something, and where, is said in
plugins/stela-detection/stela_detection/canonical/characters.py.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from stela_detection.canonical.characters import FILE

LICENCE = "Unicode License v3, https://www.unicode.org/license.txt"
LINE = re.compile(
    r"^([0-9A-F]{4,6})(?:\.\.([0-9A-F]{4,6}))?\s*;\s*Default_Ignorable_Code_Point\b", re.MULTILINE
)


def ignorable(properties: str) -> list[str]:
    """Ranges such as "200B-200F", in hexadecimal, ascending; neighbours are one range."""
    ranges: list[list[int]] = []
    for first, last in sorted((int(a, 16), int(b or a, 16)) for a, b in LINE.findall(properties)):
        if ranges and ranges[-1][1] == first - 1:
            ranges[-1][1] = last
        else:
            ranges.append([first, last])
    return [f"{first:04X}-{last:04X}" for first, last in ranges]


def main() -> None:
    properties = Path(sys.argv[1]).read_text(encoding="utf-8")
    [version] = re.findall(r"^# DerivedCoreProperties-([0-9.]+)\.txt", properties, re.MULTILINE)
    made = {
        "source": "Default_Ignorable_Code_Point in DerivedCoreProperties.txt of Unicode",
        "version": version,
        "copyright": "Copyright (c) 1991-2026 Unicode, Inc.",
        "licence": LICENCE,
        "ranges": ignorable(properties),
    }
    out = Path(sys.argv[2]) if len(sys.argv) > 2 else FILE
    out.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
