"""docs/kgw.md: its plain Python is KGW as the core runs it, and its table says where each line lives."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_testing.texts import ENGLISH, KOREAN, random_text
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.hashing import colour, keys
from stela_core.statistics.p_value import share_at_least
from tests.tiers import Draws

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "kgw.md").read_text(encoding="utf-8")
ALGORITHM, BESIDE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
WORD = st.integers(0, 2**64 - 1)
ID = st.integers(0, 2**32 - 1)


@cache
def of_page(name: str) -> Callable[..., Any]:
    """A function of the page."""
    scope: dict[str, Any] = {}
    exec(ALGORITHM, scope)
    function: Callable[..., Any] = scope[name]
    return function


def test_algorithm_is_read_in_one_go() -> None:
    assert len([line for line in ALGORITHM.splitlines() if line.strip()]) <= 62


@given(WORD, ID, st.lists(ID, min_size=1, max_size=20))
def test_seeds_and_colours_are_the_core_s(key: int, before: int, tokens: list[int]) -> None:
    [seed] = keys.keyed_seeds(key, np.array([[before]])).tolist()
    assert of_page("seed_of")(key, before) == seed
    is_green = of_page("is_green")
    greens = [is_green(seed, token) for token in tokens]
    assert greens == colour.green(np.uint64(seed), np.array(tokens), 0.5).tolist()


def kgw(tokenizer: Tokenizer, key: int) -> stela.Watermark:
    return stela.create("kgw", tokenizer=tokenizer, key=key)


@pytest.mark.deep(keep=["0", "1", "2", "3", "4"])
@pytest.mark.parametrize("seed", range(20))
def test_bias_is_the_marker_s(tokenizer: Tokenizer, seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = tokenizer.get_vocab_size()
    key, before = int(rng.integers(2**63)), int(rng.integers(2, size))
    logits = rng.normal(size=size).astype(np.float32)
    marked = kgw(tokenizer, key).marker()([[7, before]], logits[None])[0]
    told = of_page("biased")(logits, key, before)
    assert marked.tolist() == np.array(told, dtype=np.float32).tolist()
    assert size / 4 < np.count_nonzero(marked != logits) < 3 * size / 4


def check_detection(wm: stela.Watermark, key: int, text: str) -> stela.Detection:
    detection = wm.detect(text, as_it_is=True)
    ids = wm.tokenizer.encode(text, add_special_tokens=False).ids
    coins = of_page("coins_of")(ids, key)
    assert len(coins) == detection.unique_pairs
    listed = [token.green for token in detection.tokens]
    is_green, seed_of = of_page("is_green"), of_page("seed_of")
    assert listed == [None, *(is_green(seed_of(key, one), other) for one, other in pairwise(ids))]
    assert math.isclose(of_page("z_of")(coins), detection.z, rel_tol=1e-12, abs_tol=1e-12)
    assert math.isclose(of_page("p_value")(coins), detection.p_value, rel_tol=1e-9)
    return detection


@pytest.mark.deep(keep=["0", "5", "11"])
@pytest.mark.parametrize("seed", range(12))
def test_z_and_p_are_the_detector_s(tokenizer: Tokenizer, seed: int) -> None:
    """Of texts that repeat themselves, so that coins weigh more and less, under many keys."""
    key = Random(seed).getrandbits(64)
    detection = check_detection(kgw(tokenizer, key), key, random_text(seed, words=30 + 4 * seed))
    assert detection.unique_pairs < detection.scored_tokens


@pytest.mark.parametrize("text", [ENGLISH.strip(), KOREAN[:31]])
def test_z_and_p_without_repeats_are_equal_to_the_last_digit(
    tokenizer: Tokenizer, text: str, draws: Draws
) -> None:
    """Equal coins: z's sums are whole, and p's terms are multiples of a power of two."""
    for key in range(draws(40, 10)):
        detection = check_detection(kgw(tokenizer, key), key, text)
        assert detection.unique_pairs == detection.scored_tokens >= 8
        coins = of_page("coins_of")(ids_of(tokenizer, text), key)
        assert of_page("z_of")(coins) == detection.z
        assert of_page("p_value")(coins) == pytest.approx(detection.p_value, rel=1e-14)


def ids_of(tokenizer: Tokenizer, text: str) -> list[int]:
    return tokenizer.encode(text, add_special_tokens=False).ids


def test_what_the_page_writes_is_found(tokenizer: Tokenizer) -> None:
    """From even logits: most tokens are green, and their text, cut again, is marked."""
    wm = kgw(tokenizer, 5)
    logits = [-math.inf] * 2 + [0.0] * (tokenizer.get_vocab_size() - 2)
    ids = of_page("write")(5, lambda ids: logits, 120, Random(3))
    assert len(ids) == 120
    [detection] = wm.detect_ids([ids])
    coins = of_page("coins_of")(ids, 5)
    assert detection.verdict == "watermarked"
    assert math.isclose(of_page("p_value")(coins), detection.p_value, rel_tol=1e-9)


@given(st.lists(st.booleans(), min_size=1, max_size=30))
def test_place_of_an_order_is_the_core_s(colours: list[bool]) -> None:
    assert of_page("place_of")(colours) == pytest.approx(share_at_least(colours), rel=1e-9)


@pytest.mark.slow
def test_page_finds_what_it_wrote_as_stela_does(capsys: pytest.CaptureFixture[str]) -> None:
    """Its own assertions hold, with a language model."""
    scope: dict[str, Any] = {}
    exec(ALGORITHM, scope)
    exec(BESIDE, scope)
    assert capsys.readouterr().out.startswith("watermarked ")


def test_table_names_what_is_there() -> None:
    """Each file holds what the row says, and each function of the page has a row."""
    table = [line.split("|")[1:4] for line in PAGE.splitlines() if re.match(r"\| `|\| both", line)]
    assert len(table) == 13
    files = 0
    for here, there, _ in table:
        for path, names in re.findall(r"`(stela_core/[\w/]+\.py)`(?:: ((?:`\w+`(?:, )?)+))?", there):
            source = (ROOT / path).read_text(encoding="utf-8")
            for name in re.findall(r"`(\w+)`", names):
                assert re.search(rf"(?:def|class) {name}\b|^\s*{name}\b.*=", source, re.MULTILINE), name
            files += 1
        assert "stela_core/" in there, here
    assert files >= len(table)
    told = " ".join(here for here, _, _ in table)
    for name in re.findall(r"^def (\w+)", ALGORITHM, re.MULTILINE):
        assert f"`{name}`" in told
