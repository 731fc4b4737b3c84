"""Each interface's docstring holds an example to copy; here it is copied, and it works."""

from __future__ import annotations

import inspect
import math
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
import stela_corpora
import stela_models
import stela_run
from stela_cli import hookspecs as reader_hookspecs
from stela_cli.documents.reader import Reader, Text
from stela_cli.jobs.executor import Executor, Workers
from stela_corpora import hookspecs as text_hookspecs
from stela_models import hookspecs as model_hookspecs
from stela_payload import hookspecs as encoder_hookspecs
from stela_payload.interface import Message, SeedEncoder
from stela_run import hookspecs as runner_hookspecs
from stela_tables.table import IndeterminacyTable

import stela_core as stela
from stela_core import hookspecs
from stela_core.registry.components import require_component
from stela_core.registry.tagger_spec import make_tagger

INTERFACES = [
    stela.GreenList,  # the two kinds of marks, each with its example
    stela.SamplingHasher,
    *(one for one in hookspecs.INTERFACES if one is not stela.Hasher),
    *encoder_hookspecs.INTERFACES,
    *reader_hookspecs.INTERFACES,
    *model_hookspecs.INTERFACES,
    *text_hookspecs.INTERFACES,
    *runner_hookspecs.INTERFACES,
]


def example(interface: type) -> dict[str, object]:
    """Run the block after "Copy me" and return what it defines."""
    doc = inspect.getdoc(interface) or ""
    block = re.split(r"Copy me.*?::\n", doc, flags=re.DOTALL)[1]
    code = textwrap.dedent(block).strip().replace("        ...\n", "        z = z_plain = p = 0.5\n")
    modules = {
        "stela": stela,
        "stela_run": stela_run,
        "stela_models": stela_models,
        "stela_corpora": stela_corpora,
        "Message": Message,
        "SeedEncoder": SeedEncoder,
        "Reader": Reader,
        "Text": Text,
        "Executor": Executor,
        "Workers": Workers,
        "np": np,
        "math": math,
        "re": re,
    }
    scope: dict[str, object] = {**modules, "Path": Path, "__file__": __file__}
    exec(code, scope)
    return scope


@pytest.mark.parametrize("interface", INTERFACES, ids=lambda c: c.__name__)
def test_example_defines_a_component(interface: type[stela.Component]) -> None:
    classes = [
        value
        for value in example(interface).values()
        if isinstance(value, type) and issubclass(value, interface) and value is not interface
    ]
    [component] = classes
    assert require_component(component, interface) is component


def test_one_interface_a_file() -> None:
    for interface in INTERFACES:
        file = Path(inspect.getfile(interface))
        assert (
            sum(other is not interface and Path(inspect.getfile(other)) == file for other in INTERFACES) == 0
        )


def test_tagger_of_the_docstring_tags() -> None:
    tagger = example(stela.Tagger)["Shouting"]()  # type: ignore[operator]
    assert tagger.tag(["NO way"]) == [[stela.Tag("UP", 0, 2), stela.Tag("LOW", 3, 6)]]
    assert tagger.last_tags(["NO way", ""], 1) == [("LOW",), ()]


def test_hasher_of_the_docstring_hashes() -> None:
    hasher = example(stela.GreenList)["Parity"](stela.HasherParameters(), 1)  # type: ignore[operator]
    seeds = hasher.seeds(np.array([[2], [3]]))
    assert hasher.green(seeds, np.array([1, 1])).tolist() == [True, False]


def test_choice_of_the_docstring_chooses_what_its_draws_show() -> None:
    torch = pytest.importorskip("torch")
    choice = example(stela.SamplingHasher)["Gumbel"](stela.SamplingParameters(), 1)  # type: ignore[operator]
    seeds = choice.seeds(np.arange(80).reshape(20, 4))
    tokens = choice.mark(torch.zeros(20, 6), seeds, 5).argmax(dim=1).numpy()
    draws = [choice.draws(seeds, np.full(20, token))[:, 0] for token in range(5)]
    assert (np.argmax(draws, axis=0) == tokens).all()


def test_slow_default_of_add_bias_is_right() -> None:
    torch = pytest.importorskip("torch")
    hasher = example(stela.GreenList)["Parity"](stela.HasherParameters(), 1)  # type: ignore[operator]
    scores = torch.zeros(2, 6)
    out = hasher.add_bias(scores, hasher.seeds(np.array([[2], [3]])), [1.5, 0.0], 5)
    assert out.tolist() == [[0, 1.5, 0, 1.5, 0, 0], [0] * 6]
    assert not scores.any()


def test_law_of_the_docstring_is_valid() -> None:
    law = example(stela.Law)["Signs"]()  # type: ignore[operator]
    rng, weights = np.random.default_rng(0), np.array([0.0, 0.3, 2.0, *[1.0] * 7])
    p = np.array([law.tail(rng.choice([-1.0, 1.0], 10), weights, True) for _ in range(4000)])
    for alpha in (0.5, 0.2, 0.05):
        assert (p <= alpha).mean() <= alpha + 4 * math.sqrt(alpha / 4000)
    assert law.least_p(weights) <= p.min() < 0.05
    assert law.least_p(np.zeros(3)) == law.least_p(np.zeros(0)) == 1.0


def test_weighting_of_the_docstring_weighs() -> None:
    weighting = example(stela.Weighting)["Nouns"](stela.Parameters())  # type: ignore[operator]
    positions = stela.Positions(3, [("DT", "NN"), ("VB",), ()])
    assert weighting.weights(positions).tolist() == [1.0, 0.5, 0.5]
    assert weighting.mean("tokens") == 1.0


def test_tagger_of_the_docstring_is_made_by_its_name(tmp_path: Path) -> None:
    doc = inspect.getdoc(stela.Tagger) or ""
    code = textwrap.dedent(re.split(r"Copy me.*?::\n", doc, flags=re.DOTALL)[1])
    file = tmp_path / "shouting.py"
    file.write_text(code, encoding="utf-8")
    tagger = make_tagger(stela.create_registry([file]), "shouting")
    assert tagger.tag(["NO"]) == [[stela.Tag("UP", 0, 2)]]


class Most(stela.Parameters):
    most: int = 3


P = TypeVar("P", bound=stela.Parameters)


class Each(stela_run.Attack[P]):
    """A base of attacks, which leaves the class of parameters open."""

    def apply(self, texts: Sequence[str], circumstances: stela_run.Circumstances) -> list[str]:
        return list(texts)


class Cut(Each[Most]):
    name = "cut"


class CutLess(Cut):
    name = "cut-less"


class Lookup(stela.Weighting[Most, IndeterminacyTable]):
    name = "lookup"


class Told(stela_run.Metric):
    name = "told"
    Parameters = Most


class Plain(stela.Scorer):
    name = "plain"


def test_the_class_of_parameters_is_said_once() -> None:
    for component in (Cut, CutLess, Lookup, Told):
        assert component.Parameters is Most
    for component in (Each, Plain, stela.Weighting, stela_run.Attack):
        assert component.Parameters is stela.Parameters
    assert Cut(Cut.Parameters()).parameters.most == 3
