"""A stranger's clusters, chosen so that a text's tokens are green, make no text look marked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from stela_clusters.kept import keep_file
from stela_clusters.vocabulary_hash import vocabulary_hash
from stela_watme.cluster_file import FILES, ids_file
from stela_watme.hasher import WatmeHasher

import stela_core as stela
from stela_core.api import TokenBytes, mix
from stela_core.profile.provenance import trusted
from tests.helpers import human_english

KEY = "00c0ffee5ec2e700"


def fitted(mark: stela.Watermark, tokens: TokenBytes, ids: list[int]) -> bytes:
    """Pairs of a token of the text and another one, which is red where the token first stands."""
    hasher = mark.parts.hasher
    assert isinstance(hasher, WatmeHasher)
    seeds = hasher.seeds(np.array(ids[:-1])[:, None])
    free = np.setdiff1d(np.arange(300, len(tokens)), ids).tolist()
    groups, done = [], set()
    for seed, token in zip(seeds, ids[1:], strict=True):
        if token not in done:
            own = int(mix(seed, np.array(token)))
            numbers = mix(seed, np.array(free[:12])).tolist()
            if own < max(numbers):
                groups.append([token, free.pop(int(np.argmax(numbers)))])
                done.add(token)
    return ids_file(groups, vocabulary_hash(tokens), "fitted")


@pytest.mark.slow
def test_fitted_clusters_accuse_nobody(tokens: TokenBytes, tmp_path: Path) -> None:
    text, path = human_english()[:1500], tmp_path / "p.stela"
    plain = stela.create("watme", "tiny", key=KEY, gamma=0.5)
    ids = plain.tokenizer.encode(text, add_special_tokens=False).ids
    name = keep_file(fitted(plain, tokens, ids))
    made = stela.create("watme", "tiny", key=KEY, gamma=0.5, parameters={"clusters": name})
    made.save(path)
    trusted.remove(made.profile)
    found = stela.load(path, key=KEY).detect(text)
    assert found.p_value < 1e-15
    assert found.p_chosen == found.deciding_p == 1
    assert found.verdict != "watermarked"
    assert "the file of this mark may have been made for this text: times all 1e" in (found.caveat or "")
    trusted.add(made.profile)
    assert stela.load(path, key=KEY).detect(text).verdict == "watermarked"


def test_clusters_that_come_along_cost_nothing() -> None:
    assert [FILES.log_choices(name) for name in FILES.shipped] == [0.0] * len(FILES.shipped)
