"""The texts of a language's plugin; braces are filled in by :mod:`stela_language.writing`."""

INIT = '''"""{name} words with universal part-of-speech tags; ships a model and tables for k = 2, 3 and 4."""

from pathlib import Path

from stela_causal.tagger import CausalTagger

import stela_core as stela

__all__ = ["{class_name}", "stela_register_taggers"]


class {class_name}(CausalTagger):
    """{name}, by a small network that looks left only."""

    name = language = "{code}"
    unit = "{unit}"
    window = {window}
    version = "{version}"
    folder = Path(__file__).parent


@stela.hookimpl
def stela_register_taggers() -> type[stela.Tagger]:
    """Register the tagger."""
    return {class_name}
'''

PYPROJECT = """[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "{distribution}"
version = "{version}"
description = "{name} tagger for STELA (universal tags)"
readme = "README.md"
requires-python = ">=3.11"
license = "{licence}"
license-files = ["LICENSE", "NOTICE"]
classifiers = [
  "Development Status :: 3 - Alpha",
  "Intended Audience :: Developers",
  "Intended Audience :: Science/Research",
  "Programming Language :: Python :: 3",
  "Programming Language :: Python :: 3.11",
  "Topic :: Scientific/Engineering :: Artificial Intelligence",
  "Topic :: Text Processing :: Linguistic",
  "Typing :: Typed",
]
dependencies = ["numba>=0.60", "stela-causal>=0.3,<0.4", "stela-core>=0.3,<0.4"]

[project.entry-points.stela]
{code} = "{module}"

[tool.setuptools]
packages = ["{module}"]

[tool.setuptools.package-data]
{module} = ["py.typed", "model/*", "tables/*.json"]
"""

README = """# {distribution}

Tagger `{code}`: {name} words with universal part-of-speech tags, made by `stela language new`.

```
pip install stela-cli ./{distribution} stela-stela
stela profile new --scheme stela --tagger {code} --model MODEL --public-key -o p.stela
```

| trained with | {trained} words, {epochs} epochs |
|---|---|
| tested with | {tested} words |
| boundaries of words (F1) | {boundaries} |
| tags of words with right boundaries | {tags} |
| both together (F1) | {both} |
| model, tables | {model} MB, {tables} MB |
| mean lambda over tokens | {means} |

Words written as one have several tags. A word never spans white space. `NOTICE` has sources and licences.
"""

NOTICE = """{distribution}
The code is licensed under the Apache License, Version 2.0 (see LICENSE).

{module}/model, {module}/tables and the sample text in tests are made from the files below,
which are licensed under {licences}
(texts of the licences: https://spdx.org/licenses):
{sources}
"""

TEST = """import pytest
from stela_causal.tagger import CausalTagger
from {module} import {class_name}

from stela_testing import TaggerContract

SAMPLE = ({sample}
)


class Test{class_name}(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls) -> CausalTagger:
        return {class_name}()

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return [SAMPLE[start : start + 12 + start] for start in range(0, 60, 2)]


def test_tables() -> None:
    assert set({class_name}().tables()) == {{2, 3, 4}}
"""
