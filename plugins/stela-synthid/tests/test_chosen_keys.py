"""Keys of layers that somebody chose: equal ones are refused, and those that fit a text accuse nobody."""

from __future__ import annotations

from pathlib import Path

import pytest
from stela_synthid.hasher import SynthIdHasher, SynthIdParameters

import stela_core as stela
from stela_core.api import Archive
from stela_core.hashing.keys import key_id
from stela_core.profile.provenance import trusted
from stela_core.profile.schema import HasherPart
from tests.helpers import key_of_words
from tests.strangers.accusing import declaration
from tests.strangers.chosen_layers import chosen_layers, profile_of

SIZE = 1 << 16


@pytest.mark.parametrize("keys", [[7, 7], [7, 7 + SIZE], [1, 2, 3, 2 + 5 * SIZE], [9] * 64])
def test_layers_of_one_shift_are_refused(keys: list[int]) -> None:
    """Each layer would draw the same bits, and a text of ordinary luck would have 64 times as much of it."""
    parameters = SynthIdParameters(derived=False, depth=len(keys))
    with pytest.raises(stela.StelaError, match=r"equal modulo the table's size, 65536") as caught:
        SynthIdHasher(parameters, key_of_words(keys))
    assert "no p-value of such a mark is right" in str(caught.value.hint)
    SynthIdHasher(parameters, key_of_words(range(len(keys))))


def test_derived_layers_may_agree_as_draws_do() -> None:
    """Some key of the first thousand has two such layers. Nobody chose them, and old profiles have them."""
    for key in range(1000):
        keys = SynthIdHasher(SynthIdParameters(), key).keys % SIZE
        if len(set(keys.tolist())) < len(keys):
            return
    pytest.fail("no key has two layers that agree")


def test_the_reader_refuses_them_too(registry: stela.Registry, tmp_path: Path) -> None:
    made = profile_of(registry, "synthid", key_of_words([1, 2, 3]), derived=False, depth=3)
    key = key_of_words([1, 2, 2 + SIZE])
    named = {"key": f"{key:048x}", "key_id": key_id(key, 3)}
    hasher = HasherPart(**{**made.profile.hasher.model_dump(), **named})
    path = tmp_path / "equal.stela"
    profile = made.profile.model_copy(update={"hasher": hasher})
    Archive(profile, made.tokenizer, None).write(path)
    with pytest.raises(stela.StelaError, match="their bits are one draw"):
        stela.load(path, registry=registry)


@pytest.mark.parametrize(("depth", "layers"), [(30, "weighted"), (30, "mean"), (8, "weighted")])
def test_layers_that_fit_a_text_accuse_nobody(
    registry: stela.Registry, tmp_path: Path, depth: int, layers: str
) -> None:
    """The p-value alone is as small as you like; times the number of keys nothing of it is left."""
    text = declaration(registry, 1500)
    made = chosen_layers(registry, text, depth, layers)
    path = tmp_path / "chosen.stela"
    made.write(path)
    mark = stela.load(path, registry=registry)
    found = mark.detect(text)
    assert found.p_value < 1e-20
    assert found.p_chosen == found.deciding_p == 1.0
    assert found.verdict != "watermarked"
    assert "keys are chosen part by part: times all 1e" in (found.caveat or "")
    assert found.to_dict()["p_chosen"] == 1.0
    scanned = mark.with_passage(found)
    assert scanned.verdict != "watermarked"
    assert scanned.window is not None
    assert scanned.window.p_value == 1.0
    assert not scanned.passages
    [attributed] = stela.load_all(tmp_path, registry=registry).detect_many([text])
    assert attributed.verdict != "watermarked"
    assert attributed.tested[0].p == attributed.tested[0].p_chosen == 1.0
    # The user may know better.
    trusted.add(made.profile)
    try:
        own = stela.load(path, registry=registry).detect(text)
    finally:
        trusted.remove(made.profile)
    assert (own.verdict, own.p_chosen, own.caveat) == ("watermarked", None, None)
    assert own.p_value == found.p_value


def test_a_derived_key_can_only_be_tried(registry: stela.Registry, tmp_path: Path) -> None:
    path = tmp_path / "derived.stela"
    profile_of(registry, "synthid", 7).write(path)
    found = stela.load(path, registry=registry).detect(declaration(registry, 600))
    assert found.p_chosen is None
    assert found.choices == 1
    assert "p_chosen" not in found.to_dict()
