"""Numbers of the report against scikit-learn, SciPy and plain Python."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from scipy.stats import beta
from sklearn.metrics import roc_auc_score, roc_curve
from stela_run.report import read
from stela_run.report.attacks import families
from stela_run.report.layout import View
from stela_run.report.null import envelope, quantiles, ranks_of
from stela_run.report.rates import Estimate, auc, mean_z, nominal, roc_points, tpr_at
from stela_run.report.read import Place, read_run
from stela_run.report.spread import densities
from stela_run.report.strength import Strength
from stela_run.report.values import Values
from stela_run.statistics.shares import clopper_pearson

from tests.tiers import examples

from .helpers import made_up, record, value

# Few values, so that there are ties.
P_VALUES = st.lists(
    st.sampled_from([1.0, 0.5, 0.2, 0.1, 0.04, 0.01, 1e-3, 1e-5, 0.0]), min_size=1, max_size=30
)


def outcomes(p_values: list[float]) -> read.Tests:
    found = np.array(p_values)
    return read.Tests(found, np.zeros(len(found)), np.arange(len(found)))


@pytest.mark.slow
@examples(60)
@given(P_VALUES, P_VALUES, st.sampled_from([0.5, 0.2, 0.1]))
def test_rates_are_those_of_scikit_learn(marked: list[float], human: list[float], rate: float) -> None:
    found, others = outcomes(marked), outcomes(human)
    truth = [1] * len(marked) + [0] * len(human)
    scores = [*found.score, *others.score]
    fpr, tpr, _ = roc_curve(truth, scores, drop_intermediate=False)
    points = roc_points(found, others)
    assert points[0] == pytest.approx(fpr)
    assert points[1] == pytest.approx(tpr)
    area = auc(found, others)
    assert area is not None
    assert area.value == pytest.approx(roc_auc_score(truth, scores))
    at = tpr_at(rate, found, others)
    if len(human) < 1 / rate:
        assert at is None
    else:
        assert at is not None
        assert at.value == pytest.approx(tpr[fpr <= rate + 1e-12].max())
        if at.low is not None and at.high is not None:
            assert 0 <= at.low <= at.high <= 1


@pytest.mark.slow
def test_interval_covers_about_as_often_as_it_says() -> None:
    """Normal scores, d' = 1: the true AUC is Phi(1 / sqrt 2) = 0.7602."""
    draws = np.random.default_rng(0)
    hits = 0
    for _ in range(40):
        marked, human = 10.0 ** -draws.normal(9, 1, 60), 10.0 ** -draws.normal(8, 1, 60)
        found = auc(outcomes(list(marked)), outcomes(list(human)))
        assert found is not None
        hits += (found.low or 0) <= 0.7602 <= (found.high or 0)
    assert hits >= 34


def test_a_text_is_resampled_with_all_its_tests() -> None:
    """Ten equal tests of each of twenty texts tell no more than twenty."""
    draws = np.random.default_rng(0)
    p_values = draws.uniform(size=20)
    marked = outcomes(list(draws.uniform(0, 0.3, 40)))
    repeated = read.Tests(np.repeat(p_values, 10), np.zeros(200), np.repeat(np.arange(20), 10))
    alone = auc(marked, outcomes(list(p_values)))
    together = auc(marked, repeated)
    assert alone is not None
    assert together == pytest.approx(alone)


def test_all_found_is_not_certainty() -> None:
    found = tpr_at(0.01, outcomes([1e-9] * 20), outcomes([0.5] * 100))
    assert found == pytest.approx(Estimate(1.0, clopper_pearson(20, 20)[0], 1.0))


def test_nominal_and_mean_z_by_hand() -> None:
    assert nominal(0.01, outcomes([0.01, 0.011, 1e-4, 1.0])) == Estimate(0.5, *clopper_pearson(2, 4))
    tests = read.Tests(np.ones(3), np.array([1.0, 3.0, np.nan]), np.arange(3))
    assert mean_z(tests) == pytest.approx(Estimate(2.0, 2 - 1.96, 2 + 1.96))
    assert nominal(0.01, outcomes([])) is None


@pytest.mark.slow
def test_tests_are_read_as_they_stand(finished: Path) -> None:
    run = read_run(finished)
    rows = defaultdict(list)
    for row in parquet.read_table(finished / "scores.parquet").to_pylist():
        rows[Place(*(row[name] for name in Place._fields)), row["kind"]].append(row)
    assert rows
    for (place, kind), members in rows.items():
        tests = run.of(place, kind)
        assert tests.p_value.tolist() == [row["p_value"] for row in members]
        assert tests.z.tolist() == [row["z"] for row in members]
        same = [[a["text"] == b["text"] for a in members] for b in members]
        assert (tests.group[:, None] == tests.group[None]).tolist() == same
    assert sum(len(kinds) for kinds in run.tests.values()) == len(rows)


@pytest.mark.slow
def test_metric_and_report_agree(finished: Path) -> None:
    """What ``roc`` recorded and what the report works out from the same tests are one number."""
    run = read_run(finished)
    for place, [found] in run.by_place.items():
        marked = run.of(place, "marked")
        for kind in ("human", "model"):
            at = tpr_at(0.01, marked, run.of(place, kind))
            area = auc(marked, run.of(place, kind))
            recorded = {name: found["values"].get(f"{name}:{kind}") for name in ("tpr@0.01", "auc")}
            for own, other in zip((at, area), recorded.values(), strict=True):
                assert (own is None) == (other is None), "few texts of the model are that long"
                if own is not None and other is not None:
                    assert own.value == pytest.approx(other["value"])
            assert kind == "model" or at is not None
        share = nominal(0.01, marked)
        assert share is not None
        assert share.value == found["values"]["tpr@p<=0.01"]["value"]


def test_seeds_are_taken_together(tmp_path: Path) -> None:
    rows = [
        record(seed=seed, values={"bias": value(bias, bias - 0.3, bias + 0.4), "auc:human": value(0.123)})
        for seed, bias in ((0, 1.0), (1, 2.0))
    ]
    run = read_run(made_up(tmp_path / "r", rows, {"seeds": [0, 1]}))
    values = Values(run)
    [place] = run.places
    bias = values.bias(place)
    assert bias == pytest.approx(Estimate(1.5, 1.5 - 0.3 / 2**0.5, 1.5 + 0.4 / 2**0.5))
    human, marked = run.of(place, "human"), run.of(place, "marked")
    assert len(human.z) == 2 * 20 * 10
    assert len(set(human.group)) == 40, "a prompt's text under another seed is another text"
    area = values.auc(place)
    assert area is not None
    truth = [1] * 40 + [0] * 400
    assert area.value == pytest.approx(roc_auc_score(truth, [*marked.score, *human.score]))


@pytest.mark.slow
def test_summary_csv_holds_the_records(finished: Path) -> None:
    records = [json.loads(line) for line in (finished / "records.jsonl").read_text().splitlines()]
    recorded = {tuple(str(r[n]) for n in Place._fields): r["values"] for r in records if "error" not in r}
    with (finished / "summary.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(recorded)
    for row in rows:
        values = recorded[tuple(row[name] for name in Place._fields)]
        for column, name in (("tpr_at_0.01_human", "tpr@0.01:human"), ("auc_human", "auc:human")):
            assert float(row[column]) == values[name]["value"]
            assert float(row[f"{column}_low"]) == values[name]["low"]
        assert row["equal_strength"] == "false"
        assert float(row["bias"]) > 0, "of an attacked text it is that of the text before"


def test_null_quantiles_and_envelope() -> None:
    p_values = np.random.default_rng(0).uniform(size=300)
    expected, observed = quantiles(p_values)
    ordered = sorted(p_values)
    ranks = ranks_of(300)
    assert ranks[0] == 1
    assert ranks[-1] == 300
    for rank, x, y in zip(ranks, expected, observed, strict=True):
        assert 10**-x == pytest.approx(rank / 301)
        assert 10**-y == pytest.approx(ordered[int(rank) - 1])
    low, high = envelope(300)
    assert 10**-high == pytest.approx(beta.ppf(0.025, ranks, 301 - ranks))
    assert 10**-low == pytest.approx(beta.ppf(0.975, ranks, 301 - ranks))


def test_densities_sum_to_one() -> None:
    edges, shares = densities(
        {"human": np.array([0.0, 1, 2, np.nan]), "model": np.array([]), "marked": np.array([5.0])}
    )
    assert set(shares) == {"human", "marked"}
    assert all(share.sum() == pytest.approx(1) for share in shares.values())
    assert (edges[0], edges[-1]) == (0, 5)
    assert densities({"human": np.array([np.nan])})[1] == {}


def test_attacks_of_one_family_differ_in_one_number() -> None:
    attacks = {
        "none": {},
        "swap(share=0.5)": {"share": 0.5},
        "swap(share=0.1)": {"share": 0.1},
        "dipper(lexical=20, order=0)": {"lexical": 20, "order": 0},
        "dipper(lexical=40, order=0)": {"lexical": 40, "order": 0},
        "paste(loud=True)": {"loud": True},
    }
    assert families(attacks) == [
        ("swap", "", "share", [(0.1, "swap(share=0.1)"), (0.5, "swap(share=0.5)")]),
        (
            "dipper",
            "order=0",
            "lexical",
            [(20.0, "dipper(lexical=20, order=0)"), (40.0, "dipper(lexical=40, order=0)")],
        ),
    ]


@pytest.mark.parametrize(
    ("biases", "warning"),
    [
        ({"a": 1.0, "b": 1.1}, ""),
        ({"a": 1.0, "b": 1.11}, "not at equal strength"),
        ({"a": 0.0, "b": 1.0}, "not at equal strength"),
        ({"a": None, "b": 1.0}, "strength not measured"),
        ({"a": 1.0}, ""),
        ({"a": 1.0, "b": 1.05, "c": 4.0}, "c: not at equal strength"),
        ({"a": 4.0, "b": 1.0, "c": 1.05, "d": None}, "a, d: not at equal strength"),
    ],
)
def test_strength(biases: dict[str, float | None], warning: str) -> None:
    strength = Strength("m", "en", 50, biases)
    assert strength.warning == warning
    told = warning.partition(":")[0].split(", ")
    one_of_all = warning.startswith(("not", "strength"))
    assert [label for label in biases if not strength.matches(label)] == (
        list(biases) if one_of_all else told if warning else []
    )


def test_a_mark_that_chooses_is_next_to_those_of_one_cost() -> None:
    """Set to the same cost it matches; without one it keeps nobody else from it."""
    cost = ("surprisal", 0.1)
    biases = {"kgw": 1.0, "morphmark": 4.0, "coupling": None, "gumbel": None}
    same = Strength(
        "m", "en", 50, biases, frozenset({"coupling", "gumbel"}), dict.fromkeys(list(biases)[:3], cost)
    )
    assert [label for label in biases if same.matches(label)] == ["kgw", "morphmark", "coupling"]
    assert same.badge == "no common strength"
    assert same.text.endswith("; surprisal set to: kgw 0.1, morphmark 0.1, coupling 0.1")


def test_styles_tell_schemes_apart_without_colour(tmp_path: Path) -> None:
    rows = [record(f"s{number}") for number in range(8)]
    styles = View.of(read_run(made_up(tmp_path / "r", rows, texts=2))).styles.values()
    assert len({(str(style["linestyle"]), style["marker"]) for style in styles}) == 8
