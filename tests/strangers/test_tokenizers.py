"""A stranger's tokenizer, whose ids were chosen for a text, makes no text look marked."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from stela_models import ModelSource
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.profile.archive import Archive
from stela_core.profile.create import Settings
from stela_core.profile.provenance import require_strict, trusted
from stela_core.text.tokenizer import parse_tokenizer
from stela_core.text.tokenizer_digest import tokenizer_digest
from tests.strangers.accusing import KEY, declaration, profile_with


def file_of(registry: stela.Registry) -> str:
    """The text of the embedded model's ``tokenizer.json``."""
    folder = Path(registry.get(ModelSource, "tiny").location())
    return (folder / "tokenizer.json").read_text(encoding="utf-8")


def permuted(registry: stela.Registry, text: str) -> Archive:
    """A profile whose ids are given out so that each token of a text is green after the one before."""
    content = json.loads(file_of(registry))
    mark = profile_with_mark(registry)
    old = Tokenizer.from_str(json.dumps(content)).encode(text, add_special_tokens=False).ids
    kept = {token["id"] for token in content["added_tokens"]}
    free = set(content["model"]["vocab"].values()) - kept
    draws, new, last = random.Random(0), {index: index for index in kept}, 0
    for index in old:
        if index not in new:
            tried = np.array(draws.sample(sorted(free), 20))
            green = mark.draws(mark.seeds(np.full((len(tried), 1), last)), tried)[:, 0]
            new[index] = int(tried[green.argmax()])
            free.discard(new[index])
        last = new[index]
    others = [index for index in content["model"]["vocab"].values() if index not in new]
    new |= dict(zip(others, sorted(free), strict=True))
    content["model"]["vocab"] = {token: new[index] for token, index in content["model"]["vocab"].items()}
    tokenizer = Tokenizer.from_str(json.dumps(content))
    return Settings("kgw").create(registry, tokenizer, KEY, True).archive


def profile_with_mark(registry: stela.Registry) -> stela.GreenList:
    """The mark of the key."""
    made = stela.Watermark(profile_with(registry, None, scheme="kgw"), KEY, registry).parts.hasher
    assert isinstance(made, stela.GreenList)
    return made


@pytest.mark.slow
def test_permuted_ids_accuse_nobody(registry: stela.Registry, tmp_path: Path) -> None:
    text, path = declaration(registry, 1500), tmp_path / "p.stela"
    archive = permuted(registry, text)
    archive.write(path)
    mark = stela.load(path, registry=registry)
    found = mark.detect(text)
    assert found.p_value < 1e-15
    assert found.p_chosen == found.deciding_p == 1
    assert found.verdict != "watermarked"
    assert "its tokenizer is not known here" in (found.caveat or "")
    assert "stela profile trust" in (found.caveat or "")
    scanned = mark.with_passage(found)
    assert scanned.verdict != "watermarked"
    assert scanned.window is not None
    assert scanned.window.p_value == 1
    assert not scanned.passages
    trusted.add(archive.profile)
    try:
        assert stela.load(path, registry=registry).detect(text).verdict == "watermarked"
    finally:
        trusted.remove(archive.profile)


def test_a_published_tokenizer_costs_nothing(registry: stela.Registry, tmp_path: Path) -> None:
    path = tmp_path / "p.stela"
    profile_with(registry, None, scheme="kgw").write(path)
    assert stela.load(path, registry=registry).detect("The city is old.").p_chosen is None


def test_a_digest_depends_on_what_is_said_alone(registry: stela.Registry) -> None:
    text = file_of(registry)
    content, digest = json.loads(text), tokenizer_digest(text)
    merges = [" ".join(merge) if isinstance(merge, list) else merge for merge in content["model"]["merges"]]
    same = content | {"model": content["model"] | {"merges": merges}, "post_processor": None}
    assert tokenizer_digest(json.dumps(same, indent=1, sort_keys=True)) == digest
    replace = {"type": "Replace", "pattern": {"String": "ab"}, "content": "a"}
    turned = content["model"] | {"merges": content["model"]["merges"][::-1]}
    for other in (
        content | {"normalizer": replace},
        content | {"model": turned},
        content | {"added_tokens": []},
    ):
        assert tokenizer_digest(json.dumps(other)) != digest
    assert tokenizer_digest(text.rstrip().removesuffix("}") + ', "normalizer": null}') is None


@pytest.mark.parametrize(("name", "value"), [("dropout", 0.1), ("alpha", 0.1), ("nbest_size", 4)])
def test_what_cuts_at_random_is_refused(registry: stela.Registry, name: str, value: float) -> None:
    content = json.loads(file_of(registry))
    content["model"][name] = value
    with pytest.raises(stela.StelaError, match=name) as caught:
        parse_tokenizer(json.dumps(content).encode(), "a file")
    assert f'take "{name}" out of tokenizer.json' in caught.value.hint
    del content["model"][name]  # what the hint says
    parse_tokenizer(json.dumps(content).encode(), "a file")


def test_messages_that_are_called_sure_too_easily_are_refused(registry: stela.Registry) -> None:
    profile = profile_with(registry, None, scheme="kgw").profile
    part = {"code": "payload", "bits": 16, "parameters": {"most_error": 0.999}}
    loose = type(profile).model_validate({**profile.model_dump(), "message": part})
    with pytest.raises(stela.StelaError, match="most_error"):
        require_strict(loose, "a profile")
