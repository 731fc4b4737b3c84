"""What ``stela new`` writes: a plugin of one file and its test, by kind. ``$`` names are filled in."""

from __future__ import annotations

from string import Template
from typing import NamedTuple


class Starter(NamedTuple):
    """The two files of a kind, and what to do with them."""

    plugin: Template
    test: Template
    next: Template
    """Lines to print: the commands that come next."""


def _starter(kind: str, plugin: str, imports: str, contract: str, more: str, command: str) -> Starter:
    """A starter of what all kinds share: the hook, the contract test, and that it comes first.

    Args:
        kind: of the component.
        plugin: its file but for the hook.
        imports: of the test, after that of the plugin.
        contract: class that the test inherits from.
        more: fixtures of the contract but for the component.
        command: what comes after the test.
    """
    hook = f"""

@stela.hookimpl
def stela_register_{kind}s():
    return $class_name
"""
    test = f'''"""The {kind} "$name" keeps the contract of {kind}s."""

import pytest
from $module import $class_name
{imports}

class Test$class_name({contract}):
    @pytest.fixture(scope="class")
    @classmethod
    def {kind}(cls):
        return $class_name($class_name.Parameters())
{more}'''
    return Starter(Template(plugin + hook), Template(test), Template(f"pytest test_$module.py\n{command}"))


SCHEME = _starter(
    "weighting",
    '''"""The weighting and scheme "$name". Replace what weights computes by your idea."""

import numpy as np
from pydantic import Field

import stela_core as stela


class ${class_name}Parameters(stela.Parameters):
    """What --param sets."""

    longest: int = Field(8, ge=1)


class $class_name(stela.Weighting[${class_name}Parameters]):
    """The longer the word so far is, the stronger the next token is marked, and the more it counts."""

    name = "$name"
    needs = frozenset({"text"})

    def weights(self, positions):
        """One number of at least 0 for each position; it sees neither the key nor a colour."""
        lengths = np.array([len(text.split(" ")[-1]) for text in positions.text])
        return 1 + np.minimum(lengths, self.parameters.longest) / self.parameters.longest

    def mean(self, calibration):
        """What weights is on average over a text: then delta is the mean bias."""
        return 1.4
''',
    "from stela_testing import WeightingContract\n",
    "WeightingContract",
    "",
    "stela compare kgw $module.py:$name --language en --model tiny --estimate expected",
)

TAGGER = _starter(
    "tagger",
    '''"""The tagger "$name". Replace the rules of tag_of by yours, or call a library in tag."""

import re

import stela_core as stela


class $class_name(stela.Tagger):
    """Words by their shape and ending."""

    name, language, tagset = "$name", "en", "shapes"
    window, k = 8, 2
    model, version = "rules", "1"  # a profile refuses another version: raise it with every change of a tag

    def tag(self, texts):
        """The tags of each text, with their places; the same in any batch."""
        stela.require_well_formed(texts)
        words = [re.finditer(r"\\w+|[^\\w\\s]", text) for text in texts]
        return [[stela.Tag(self.tag_of(word.group()), *word.span()) for word in some] for some in words]

    def tag_of(self, word):
        """The tag of one word."""
        if not word[0].isalnum():
            return "MARK"
        if word[0].isdigit():
            return "NUMBER"
        if len(word) <= 3:
            return "SHORT"
        return "NAME" if word[0].isupper() else word[-1].upper()
''',
    "from stela_testing import TaggerContract\n",
    "TaggerContract",
    """
    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls):
        text = "The history of the city is long, and 40 people read about it in the old library."
        return [text[:end] for end in range(len(text) - 20, len(text) + 1)]
""",
    "stela --plugin $module.py lambda build --tagger $name --corpus TEXTS.jsonl -o $name.json",
)

METRIC = _starter(
    "metric",
    '''"""The metric "$name". Replace what value_of computes by your idea."""

import stela_run
from stela_run.intervals import mean_value

import stela_core as stela


class $class_name(stela_run.Metric):
    """Commas for each word, of marked texts and of the model's unmarked ones."""

    name = "$name"

    def measure(self, sample):
        """Means over texts, with intervals."""
        marked = [self.value_of(one.text) for one in sample.marked]
        unmarked = [self.value_of(one.text) for one in sample.model_text]
        if not marked or not unmarked:
            raise stela.StelaError('metric "$name" has no texts to measure.', "raise texts, or lower lengths")
        return [
            mean_value("$name", marked, sample.seed),
            mean_value("$name:unmarked", unmarked, sample.seed),
        ]

    def value_of(self, text):
        """The number of one text."""
        return text.count(",") / max(1, len(text.split()))
''',
    "from stela_run.testing import MetricContract, make_sample\n\nimport stela_core as stela\n",
    "MetricContract",
    """
    @pytest.fixture(scope="class")
    @classmethod
    def sample(cls):
        return make_sample(stela.create_registry(), model="tiny-small")
""",
    'stela --plugin $module.py run FILE.toml   with metrics = ["roc", "$name"] in it',
)

STARTERS = {"scheme": SCHEME, "tagger": TAGGER, "metric": METRIC}
