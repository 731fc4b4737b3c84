"""Profiles of before the rules for repeats and ties keep their numbers.

Those were written down by that version, on one processor: the last bits of sums were its own.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from stela_testing.texts import ENGLISH, KOREAN, random_text

import stela_core as stela
from stela_core.builtin.scorers import GroupedParameters, GroupedScorer
from stela_core.loading import load
from stela_core.profile.archive import Archive

HERE = Path(__file__).parent / "data"
OLD = HERE / "before_rules.stela"
TEXTS = [random_text(1), random_text(2, 12), KOREAN * 3, ENGLISH * 4 + random_text(3, 200)]


def wanted(which: str) -> list[object]:
    """What that version gave, written down by it."""
    rows: list[list[str]] = json.loads((HERE / "before_rules.json").read_text())[which]
    return [pytest.approx([float.fromhex(word) for word in row], rel=1e-12, abs=1e-15) for row in rows]


def test_texts_keep_their_numbers() -> None:
    assert not {"repeats", "ties"} & set(Archive.read(OLD).profile.scheme.parameters)
    mark = load(OLD)
    found = [mark.with_passage(d) for d in mark.detect_many(TEXTS)]
    numbers = [[d.p_value, d.z, d.z_plain, d.window.p_value] for d in found if d.window is not None]
    assert numbers == wanted("texts")


def test_scores_keep_their_numbers() -> None:
    """Weights of all kinds: equal, any, 0 and 1."""
    scorer = GroupedScorer(GroupedParameters(**GroupedParameters.of_before()))
    rows = []
    for seed, (n, kinds, gamma) in enumerate(
        [(25, 4, 0.5), (25, 25, 0.5), (60, 20, 0.25), (200, 80, 0.5), (400, 150, 0.5)]
    ):
        rng = np.random.default_rng(seed)
        groups = np.unique(rng.integers(0, kinds, n), return_inverse=True)[1]
        green = (rng.random(kinds) < 0.6)[groups]
        for weights in (np.ones(n), rng.random(n), rng.integers(0, 2, n).astype(float)):
            score = scorer.score(green, weights, groups, gamma)
            rows.append([score.p_value, score.z, score.z_plain])
    assert rows == wanted("scores")


def test_other_rules_are_asked_for() -> None:
    repeated = TEXTS[2]
    old = load(OLD).detect(repeated)
    new = load(OLD, scoring={"repeats": "fourth-root", "ties": "split"}).detect(repeated)
    assert new.z_plain == old.z_plain
    assert (new.z, new.p_value) != (old.z, old.p_value)
    same = load(OLD, scoring={"repeats": "sum", "ties": "whole"}).detect(repeated)
    assert (same.z, same.p_value) == (old.z, old.p_value)


def test_new_profiles_say_their_rules(tokenizer: object) -> None:
    made = stela.create("uniform", tokenizer=tokenizer, key="public")  # type: ignore[arg-type]
    assert made.profile.scheme.parameters == {"delta": 2.0, "repeats": "fourth-root", "ties": "split"}


@pytest.mark.parametrize(
    ("scoring", "message"),
    [
        ({"repeat": "mean"}, 'scorer "grouped" has no parameter "repeat".'),
        ({"delta": 1.0}, 'scorer "grouped" has no parameter "delta".'),
        ({"repeats": "some"}, 'scheme "uniform": repeats:'),
    ],
)
def test_what_is_no_rule_is_refused(scoring: dict[str, object], message: str) -> None:
    with pytest.raises(stela.StelaError) as error:
        load(OLD, scoring=scoring)
    assert error.value.message.startswith(message)
