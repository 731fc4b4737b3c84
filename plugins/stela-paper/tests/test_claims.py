"""The answer to the paper's first claim rests on intervals and on equal strength, not on points."""

from __future__ import annotations

import pytest
from stela_paper.results.claims import claims_table
from stela_paper.results.intervals import ALIKE
from stela_paper.results.kept import About, Section


def section(name: str, tables: dict[str, list[dict[str, str]]]) -> Section:
    about = About(name, 9, 0, 1, ["Korean"], [25], ["m"], None, [], None, list(tables))
    return Section(name, "m", about, tables)


def first_answer(kgw: str, stela: str) -> str:
    """Of made-up shares found in Korean, where STELA has 1.10 times KGW's mean bias; equal at equal bias."""
    place = {"language": "Korean", "tokens": "25"}
    rows = [
        {**place, "scheme": name, "TPR at 1 % FPR": found} for name, found in (("kgw", kgw), ("stela", stela))
    ]
    strength = [{"language": "Korean", "mean bias of STELA over that of KGW": "1.10"}]
    alike = section("equal-bias", {"": [{**place, "verdict": ALIKE}]})
    of = {"detection": section("detection", {"": rows, "strength": strength}), "equal-bias": alike}
    return claims_table({"m": of}).splitlines()[2].split(" | ")[1]


def test_a_higher_point_alone_is_not_found_more() -> None:
    assert first_answer("0.90 [0.82, 0.97]", "0.92 [0.85, 1.00]").startswith(
        "no: STELA is not found measurably more than KGW at 25 tokens; at equal mean bias, there is no "
    )


@pytest.mark.parametrize("stela", ["0.92 [0.88, 0.96]", "0.99 [0.98, 1.00]"])
def test_found_more_is_told_with_the_larger_bias(stela: str) -> None:
    assert first_answer("0.80 [0.74, 0.86]", stela).startswith(
        "in part: STELA is found more than KGW in Korean at 25 tokens, with a larger mean bias (1.10 in "
    )
