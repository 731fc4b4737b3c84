"""The files of a language's plugin, but for its model and its tables."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

from stela_core import StelaError
from stela_core.api import one_line, published
from stela_language.measuring import Measured
from stela_language.templates import INIT, NOTICE, PYPROJECT, README, TEST

HERE = Path(__file__).parent
CODE = re.compile(r"[a-z]{2,3}")
NAME = re.compile(r"[^\W\d_](?:[\w .()-]{0,60}[\w)])?")
LONGEST_SAMPLE = 160
"""Characters of the test part that the plugin's tests hold."""
WINDOWS = {"word": 8, "character": 40}
VERSION = "0.1.0"
TAGSETS = {"ctb", "ud"}
"""Taggers of this project whose names are not languages."""


class Language(NamedTuple):
    """What a plugin is called, and what its data are licensed under."""

    code: str
    name: str
    licences: tuple[str, ...]

    @property
    def distribution(self) -> str:
        """Such as ``stela-tr``."""
        return f"stela-{self.code}"

    @property
    def module(self) -> str:
        """Such as ``stela_tr``."""
        return f"stela_{self.code}"

    @property
    def class_name(self) -> str:
        """Such as ``Turkish``."""
        return "".join(re.findall(r"[A-Za-z0-9]+", self.name.title())) or self.code.upper()


class Made(NamedTuple):
    """What was made of which files."""

    treebanks: Sequence[str]
    tests: Sequence[str]
    corpora: Sequence[str]
    trained_words: int
    epochs: int
    spaced: bool
    sample: str
    """Text of the test part."""
    measured: Measured
    means: dict[int, float]
    """Mean lambda over tokens of each table, by k."""


def language_of(code: str, name: str, licences: Sequence[str]) -> Language:
    """A language, checked.

    Raises:
        StelaError: the code, the name or a licence cannot stand in a package.
    """
    if not CODE.fullmatch(code):
        raise StelaError(f'"{one_line(code)}" is not a language code.', "give an ISO 639 code, such as tr")
    if published().name_of(f"stela-{code}") is not None and not is_shipped(code):
        raise StelaError(
            f"stela-{code} is already a plugin of this project.", "give another code, such as tr"
        )
    if not NAME.fullmatch(name):
        raise StelaError(f'"{one_line(name)}" is not a language name.', "give letters, such as Turkish")
    known = []
    for licence in licences:
        try:
            known.append(canonicalize_license_expression(licence))
        except InvalidLicenseExpression:
            raise StelaError(
                f'"{one_line(licence)}" is not an SPDX licence.', "such as CC-BY-SA-4.0, or LicenseRef-NAME"
            ) from None
    return Language(code, name, tuple(dict.fromkeys(known)))


def is_shipped(code: str) -> bool:
    """Whether this project ships this language, so that what is made again takes its place."""
    return code not in TAGSETS and published().distribution_of("tagger", code) == f"stela-{code}"


def write_class(folder: Path, language: Language, spaced: bool) -> Path:
    """Write the module, which ``stela --plugin`` can load at once; gives its file."""
    module = folder / language.module
    module.mkdir(parents=True, exist_ok=True)
    unit = "word" if spaced else "character"
    text = INIT.format(**_words(language), unit=unit, window=WINDOWS[unit], version=VERSION)
    (module / "__init__.py").write_text(text, encoding="utf-8")
    (module / "py.typed").touch()
    return module / "__init__.py"


def write_rest(folder: Path, language: Language, made: Made) -> None:
    """Write what makes a distribution of the module: metadata, licences, figures, tests."""
    module = folder / language.module
    words = _words(language)
    expressions = " AND ".join(["Apache-2.0", *(_grouped(one) for one in language.licences)])
    model_bytes = sum(file.stat().st_size for file in (module / "model").iterdir())
    table_bytes = sum(file.stat().st_size for file in (module / "tables").iterdir())
    figures = made.measured
    texts = {
        "pyproject.toml": PYPROJECT.format(**words, version=VERSION, licence=expressions),
        "README.md": README.format(
            **words,
            trained=f"{made.trained_words:,}",
            tested=f"{figures.words:,}",
            epochs=made.epochs,
            boundaries=f"{figures.boundaries:.1%}",
            tags=f"{figures.tags:.1%}",
            both=f"{figures.both:.1%}",
            model=f"{model_bytes / 1e6:.1f}",
            tables=f"{table_bytes / 1e6:.1f}",
            means=", ".join(f"{mean:.3f} (k = {k})" for k, mean in made.means.items()),
        ),
        "NOTICE": NOTICE.format(
            **words, licences=" AND ".join(language.licences), sources="\n".join(sources_of(made))
        ),
        f"tests/test_{language.code}.py": TEST.format(**words, sample=sample_of(made.sample)),
        "LICENSE": (HERE / "LICENSE.txt").read_text(encoding="utf-8"),
    }
    (folder / "tests").mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


def sample_of(text: str) -> str:
    """The start of a text as Python's lines of strings, without characters that would be escaped."""
    plain = re.sub(r"[\"\\\\]", "", " ".join(text.split()))[:LONGEST_SAMPLE]
    lines = (plain[start : start + 40] for start in range(0, len(plain), 40))
    return "".join(f'\n    "{line}"' for line in lines)


def sources_of(made: Made) -> list[str]:
    """A line for each file that the plugin was made from: what it was for, its name and its hash."""
    parts = (("trained with", made.treebanks), ("tested with", made.tests), ("tables from", made.corpora))
    return [f"- {use} {Path(file).name}{_hash_of(file)}" for use, files in parts for file in files]


def _hash_of(file: str) -> str:
    path = Path(file)
    return f" (sha256 {hashlib.sha256(path.read_bytes()).hexdigest()})" if path.is_file() else ""


def _grouped(licence: str) -> str:
    return f"({licence})" if " OR " in licence else licence


def _words(language: Language) -> dict[str, str]:
    return {
        "code": language.code,
        "name": language.name,
        "distribution": language.distribution,
        "module": language.module,
        "class_name": language.class_name,
    }
