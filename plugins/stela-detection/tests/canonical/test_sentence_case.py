"""Texts in capitals: when they are read in sentence case, and what that is."""

from __future__ import annotations

import pytest
from stela_detection.canonical.sentence_case import in_sentence_case
from stela_testing.texts import ENGLISH, KOREAN

CASES = {
    "THE CITY IS OLD, AND I READ. “WHO IS IT?” SHE ASKED. IT'S MINE!": (
        "The city is old, and I read. “Who is it?” She asked. It's mine!"
    ),
    "FIRST LINE OF A TEXT\nSECOND LINE OF J. K. SMITH, U.S. CITIZEN": (
        "First line of a text\nSecond line of J. K. Smith, U.S. Citizen"
    ),
    "ÉCOLE ÉTÉ ŒUVRE À LA PLAGE. ÇA VA TRÈS BIEN": "École été œuvre à la plage. Ça va très bien",
    "ИСТОРИЯ ГОРОДА ОЧЕНЬ ДЛИННАЯ. ЛЮДИ ЧИТАЮТ": "История города очень длинная. Люди читают",
}


@pytest.mark.parametrize("given", CASES)
def test_capitals_become_small_but_for_beginnings(given: str) -> None:
    assert in_sentence_case(given) == CASES[given]


@pytest.mark.parametrize(
    "given",
    [
        ENGLISH,
        KOREAN,
        ENGLISH.lower(),
        "",
        "UNESCO AND NATO",
        "这座城市的历史很悠久，人民很多，他们在古老的图书馆里读了很多书，还常常读报：NATO，FBI，CIA，KBS，MBC，SBS，UNESCO，CNN，BBC。",
        "THE HISTORY of the city is long, and its people read many books in the OLD LIBRARY. THE END.",
        "1234 5678 " * 20 + "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    ],
)
def test_other_texts_stay_the_same_object(given: str) -> None:
    assert in_sentence_case(given) is given


def test_length_is_kept() -> None:
    given = "İSTANBUL VE ANKARA ŞEHİRLERİ ẞ Σ ΌΛΟΙ " * 3
    assert len(in_sentence_case(given)) == len(given)
