"""Keys with epochs: the day's key marks, and the days that a user names choose the keys that are tested."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_sign.rotation import commands
from stela_sign.rotation.keys import rotated
from stela_testing.texts import marked_text, random_text
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.hashing.keys import key_id
from stela_core.profile import epochs
from stela_core.profile.archive import Archive
from stela_core.profile.create import Settings
from stela_core.profile.epochs import KeyPart, Written, day_of, holds, marking_key, require_order
from stela_core.profile.identity import evidence_signature
from stela_core.profile.provenance import trusted
from stela_core.profile.schema import HasherPart, parse_profile

MARCH, JUNE, SEPTEMBER = date(2026, 3, 1), date(2026, 6, 1), date(2026, 9, 1)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[date]:
    """The day it is; its one entry may be changed."""
    now = [date(2026, 1, 15)]
    monkeypatch.setattr(epochs, "today", lambda: now[0])
    monkeypatch.setattr(commands, "today", lambda: now[0])
    return now


def three_keys(registry: stela.Registry, tokenizer: Tokenizer) -> Archive:
    """Key 1 until March, key 2 until June, key 3 until September."""
    made = Settings("kgw").create(registry, tokenizer, 1, public=True).archive
    made = replace(made, profile=rotated(made.profile, 2, 1, None, MARCH))
    made = replace(made, profile=rotated(made.profile, 3, 1, None, JUNE, SEPTEMBER))
    trusted.add(made.profile)
    return made


@pytest.fixture(scope="module")
def archive(registry: stela.Registry, tokenizer: Tokenizer) -> Archive:
    return three_keys(registry, tokenizer)


@pytest.fixture
def file(archive: Archive, tmp_path: Path) -> Path:
    archive.write(tmp_path / "p.stela")
    return tmp_path / "p.stela"


def test_a_profile_keeps_its_epochs(archive: Archive, registry: stela.Registry, tokenizer: Tokenizer) -> None:
    profile = archive.profile
    assert [(key.since, key.until) for key in profile.hasher.keys] == [
        (JUNE, SEPTEMBER),
        (MARCH, JUNE),
        (None, MARCH),
    ]
    assert parse_profile(profile.to_json(), "it") == profile
    assert '"until": "2026-09-01"' in profile.to_json().decode()
    plain = Settings("kgw").create(registry, tokenizer, 1, public=True).archive.profile
    assert not {"since", "until", "published"} & set(plain.model_dump(mode="json")["hasher"])
    assert evidence_signature(plain) == evidence_signature(profile)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"since": "2026-02-30"}, "day is out of range"),
        ({"since": "20260301"}, "written as in"),
        ({"since": 20260301}, "written as in"),
        ({"since": "2026-03-01T00:00:00"}, "written as in"),
        ({"until": "1999-12-31"}, "not between 2000 and 2999"),
        ({"since": "2026-03-01", "until": "2026-03-01"}, "has no day"),
        ({"since": "2025-12-31"}, "overlap"),
        ({"published": "2026-03-01", "key": None}, "not there"),
    ],
)
def test_what_is_no_epoch_is_refused(fields: dict[str, object], message: str, archive: Archive) -> None:
    content = archive.profile.model_dump(mode="json")
    alone = {"name": "keyed", "context_width": 1, "gamma": 0.5, "key_id": content["hasher"]["key_id"]}
    old = content["hasher"]["earlier_keys"][1] | {"until": "2026-01-01"}
    content["hasher"] = alone | {"key": content["hasher"]["key"], "earlier_keys": [old]} | fields
    import json

    with pytest.raises(stela.StelaError, match=message):
        parse_profile(json.dumps(content).encode(), "it")


days = st.dates(date(2026, 1, 1), date(2026, 3, 1))


@given(st.lists(st.none() | days, min_size=6, max_size=6), days, days)
def test_one_key_at_most_marks_a_day_and_it_is_tested_for_it(
    bounds: list[date | None], first: date, last: date
) -> None:
    """The rule of order, against every day of the sets that it lets through."""
    keys: list[HasherPart | KeyPart] = [
        KeyPart(key_id=f"{n:08x}", since=bounds[2 * n], until=bounds[2 * n + 1])
        for n in range(3)
        if not (bounds[2 * n] and bounds[2 * n + 1] and bounds[2 * n] >= bounds[2 * n + 1])  # type: ignore[operator]
    ]
    try:
        require_order(keys)
    except ValueError:
        return
    closed = [key for key in keys if key.since and key.until]
    written = Written(min(first, last), max(first, last))
    for number in range(60):
        day = date.fromordinal(date(2026, 1, 1).toordinal() + number)
        assert sum(holds(key, day) for key in closed) <= 1
        marks = marking_key(keys, day)
        if marks is not None and written.first <= day <= written.last:
            assert written.meets(marks)
    for key in keys:
        inside = range(written.first.toordinal(), written.last.toordinal() + 1)
        assert written.meets(key) == any(holds(key, date.fromordinal(day)) for day in inside)


def test_the_key_of_the_day_marks(archive: Archive, registry: stela.Registry, clock: list[date]) -> None:
    mark = stela.Watermark(archive, None, registry)
    for day, number in (
        (date(2026, 1, 15), 1),
        (date(2026, 2, 28), 1),
        (MARCH, 2),
        (JUNE, 3),
        (date(2026, 8, 31), 3),
    ):
        clock[0] = day
        assert mark.parts_now().hasher.key == number
        alone = Settings("kgw").create(registry, mark.tokenizer, number, public=True).archive
        ids = [[5, 6, 7]]
        logits = np.zeros((1, mark.profile.vocab_size))
        own = stela.Watermark(alone, None, registry).marker()(ids, logits)
        assert np.array_equal(mark.marker()(ids, logits), own)
    clock[0] = SEPTEMBER
    for insert in (mark.marker, mark.requests):
        with pytest.raises(stela.StelaError, match="no key of the profile marks on 2026-09-01") as caught:
            insert()
        assert "\n" not in str(caught.value)
    text = marked_text(stela.Watermark(alone, None, registry))
    assert mark.detect(text).watermarked, "testing goes on"


def test_a_server_changes_keys_at_midnight(
    archive: Archive, registry: stela.Registry, clock: list[date]
) -> None:
    """A request keeps its key; the next one has the new day's; after the last epoch texts are marked on."""
    mark = stela.Watermark(archive, None, registry)
    requests = mark.requests()
    logits = np.zeros((2, mark.profile.vocab_size))
    under = {n: mark.marker(keys=[n, n])([[5, 6], [5, 6]], logits)[0] for n in (1, 2, 3)}
    requests.add("a", [5, 6])
    clock[0] = MARCH
    requests.add("b", [5, 6])
    both = requests(["a", "b"], logits)
    assert np.array_equal(both[0], under[1])
    assert np.array_equal(both[1], under[2])
    clock[0] = SEPTEMBER
    with pytest.warns(UserWarning, match="the key of before marks on: no key"):
        requests.add("c", [5, 6])
    assert np.array_equal(requests(["c"], logits[:1])[0], under[2])


def test_days_choose_the_keys_and_p_values_are_times_their_number(
    file: Path, registry: stela.Registry, tokenizer: Tokenizer
) -> None:
    alone = {
        n: stela.Watermark(
            Settings("kgw").create(registry, tokenizer, n, public=True).archive, None, registry
        )
        for n in (1, 2, 3)
    }
    text = marked_text(alone[2])
    for days_given, keys in (
        (None, (3, 2, 1)),
        (("2026-03-01", "2026-05-31"), (2,)),
        (("2026-03-01", "2026-06-01"), (3, 2)),
        ((date(2026, 2, 1), date(2026, 12, 1)), (3, 2, 1)),
        (("2026-02-01", "2026-02-01"), (1,)),
    ):
        mark = stela.load(file, None, registry, written=days_given)
        detection = mark.detect(text)
        assert [key.number for key, _ in mark.detectors] == list(keys)
        assert detection.tests == len(keys)
        best = min((alone[n].detect(text).p_value, n) for n in keys)
        assert detection.p_value == min(1.0, len(keys) * best[0])
        assert detection.key_id == key_id(best[1])
    with pytest.raises(stela.StelaError, match="no key of the profile marked between 2026-09-01 and"):
        stela.load(file, None, registry, written=("2026-09-01", "2026-10-01"))
    with pytest.raises(stela.StelaError, match="is after"):
        stela.load(file, None, registry, written=("2026-10-01", "2026-09-01"))
    folder = stela.load_all(file.parent, registry=registry, written=("2026-03-01", "2026-03-02"))
    assert (len(folder), folder.detect(text).p_value) == (1, alone[2].detect(text).p_value)


@pytest.mark.slow
def test_p_values_of_keys_chosen_by_days_hold(
    archive: Archive, registry: stela.Registry, tmp_path: Path
) -> None:
    """Over random keys: unmarked texts, two of three keys tested."""
    p = []
    rng = np.random.default_rng(7)
    mark = stela.load(_written(tmp_path, archive), None, registry, written=(MARCH, JUNE))
    assert len(mark.keys.known) == 2
    for n in range(1_000):
        numbers = rng.integers(0, 2**63, 2)
        mark.__dict__["detectors"] = [
            (key, detector.with_composition(replace(mark.parts, hasher=mark.parts.hasher.under(int(number)))))
            for (key, detector), number in zip(mark.detectors, numbers, strict=True)
        ]
        p.append(mark.detect(random_text(n)).p_value)
    for alpha in (0.2, 0.1, 0.05, 0.01):
        assert (np.array(p) <= alpha).mean() <= alpha + 4 * (alpha * (1 - alpha) / len(p)) ** 0.5
    assert (np.array(p) <= 0.2).mean() > 0.1


def _written(folder: Path, archive: Archive) -> Path:
    archive.write(folder / "q.stela")
    return folder / "q.stela"


def test_days_are_spelled_one_way() -> None:
    assert day_of("2026-03-01") == MARCH
    for wrong in ("2026-3-1", "2026-W10-1", " 2026-03-01", "２０２６-03-01", 5, None, "2026-13-01"):
        with pytest.raises(ValueError, match=r"."):
            day_of(wrong)
