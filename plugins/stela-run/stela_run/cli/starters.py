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


SCHEME = Starter(
    Template('''"""The weighting and scheme "$name". Replace what weights computes by your idea."""

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


@stela.hookimpl
def stela_register_weightings():
    return $class_name
'''),
    Template('''"""The weighting "$name" keeps the contract of weightings."""

import pytest
from $module import $class_name
from stela_testing import WeightingContract


class Test$class_name(WeightingContract):
    @pytest.fixture(scope="class")
    @classmethod
    def weighting(cls):
        return $class_name($class_name.Parameters())
'''),
    Template("""pytest test_$module.py
stela compare kgw $module.py:$name --language en --model tiny"""),
)

TAGGER = Starter(
    Template('''"""The tagger "$name". Replace the rules of tag_of by yours, or call a library in tag."""

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


@stela.hookimpl
def stela_register_taggers():
    return $class_name
'''),
    Template('''"""The tagger "$name" keeps the contract of taggers."""

import pytest
from $module import $class_name
from stela_testing import TaggerContract


class Test$class_name(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls):
        return $class_name($class_name.Parameters())

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls):
        text = "The history of the city is long, and 40 people read about it in the old library."
        return [text[:end] for end in range(len(text) - 20, len(text) + 1)]
'''),
    Template("""pytest test_$module.py
stela --plugin $module.py lambda build --tagger $name --corpus TEXTS.jsonl -o $name.json"""),
)

METRIC = Starter(
    Template('''"""The metric "$name". Replace what value_of computes by your idea."""

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


@stela.hookimpl
def stela_register_metrics():
    return $class_name
'''),
    Template('''"""The metric "$name" keeps the contract of metrics."""

import pytest
from $module import $class_name
from stela_run.testing import MetricContract, make_sample

import stela_core as stela


class Test$class_name(MetricContract):
    @pytest.fixture(scope="class")
    @classmethod
    def metric(cls):
        return $class_name($class_name.Parameters())

    @pytest.fixture(scope="class")
    @classmethod
    def sample(cls):
        return make_sample(stela.create_registry(), model="tiny-small")
'''),
    Template("""pytest test_$module.py
stela --plugin $module.py run FILE.toml   with metrics = ["roc", "$name"] in it"""),
)

STARTERS = {"scheme": SCHEME, "tagger": TAGGER, "metric": METRIC}
