"""Requests that come, leave and change places: every row as the stateless marker makes it, bit for bit."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.tiers import examples

from .request_marks import HASHERS, KEY, SCHEMES, Made, logits_of

KEYS = (None, None, 5, 0xFFFF_FFFF_FFFF_FFFF)
QUICK = ("kgw", "gumbel", "words")
KEPT = [*QUICK, "kgw, width 4", "learned-text", "gumbel-vllm-dual", "synthid", "exp"]
KEPT += ["unbiased-dip", "interop-lefthash"]
EACH = [
    name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in (*SCHEMES, *HASHERS)
]


@pytest.mark.deep(keep=KEPT)
@pytest.mark.parametrize("name", EACH)
@examples(6)
@given(data=st.data())
def test_any_coming_and_going_is_marked_as_by_the_stateless_marker(
    request_marks: dict[str, Made], name: str, data: st.DataObject
) -> None:
    """Added and followed, with keys of their own, waiting, away for a while; weights too."""
    made = request_marks[name]
    requests, texts = made.requests(record=True), {}
    ids = st.sampled_from(made.ids)
    keys: dict[int, int | None] = {}
    followed: set[int] = set()
    applied: dict[int, list[float | None]] = {}
    with_keys = data.draw(st.booleans())
    for number in range(data.draw(st.integers(2, 12))):
        for name_ in data.draw(st.lists(st.sampled_from(sorted(texts)), unique=True)) if texts else []:
            requests.remove(name_)
            del texts[name_], keys[name_], applied[name_]
            followed.discard(name_)
        for _ in range(data.draw(st.integers(0 if texts else 1, 2))):
            name_ = next(one for one in range(99) if one not in texts)
            texts[name_] = data.draw(st.lists(ids, max_size=12))
            keys[name_] = data.draw(st.sampled_from(KEYS)) if with_keys else None
            applied[name_] = [None] * len(texts[name_])
            if data.draw(st.booleans()):
                followed.add(name_)
                requests.follow(name_, texts[name_], keys[name_])
            else:
                requests.add(name_, texts[name_], keys[name_])
        rows = data.draw(st.permutations(sorted(texts)))
        rows = rows[: data.draw(st.integers(1, len(rows)))]
        own = [KEY if keys[row] is None else keys[row] for row in rows]
        marker = made.marker(keys=own if with_keys else None)
        scores = logits_of(len(rows), number)
        torch.manual_seed(number)
        step = marker.step([texts[row] for row in rows], scores)
        wanted = marker.finish([texts[row] for row in rows], step, scores).clone()
        torch.manual_seed(number)
        assert torch.equal(requests(rows, scores), wanted)
        for row, weight in zip(rows, step.weights, strict=True):
            applied[row].append(weight)
            token = data.draw(ids)
            if row in followed:
                texts[row].append(token)
            else:
                texts[row] = [*texts[row], token]
                requests.append(row, token)
            assert requests.weights(row) == applied[row]
    assert len(requests) == len(texts)
    assert all(row in requests for row in texts)
