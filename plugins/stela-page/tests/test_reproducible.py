"""What is refused before a page is made: the same as in the browser, in one line."""

from __future__ import annotations

import copy
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stela_page.reproducible import HASHERS, PATTERNS, TAGGERS, UNIFORM, refusal, require_reproducible

import stela_core as stela

PLUGIN = Path(__file__).resolve().parents[1]
TINY = PLUGIN.parent / "stela-tiny" / "stela_tiny" / "small" / "tokenizer.json"
ESBUILD = PLUGIN / "node_modules" / ".bin" / "esbuild"

PROFILE: dict[str, Any] = {
    "format": "stela-profile/1",
    "created_with": "0.2.0",
    "tokenizer_sha256": "0" * 64,
    "vocab_size": 4096,
    "scheme": {"name": "kgw", "parameters": {"delta": 2.0, "repeats": "fourth-root", "ties": "split"}},
    "hasher": {
        "name": "keyed",
        "gamma": 0.5,
        "context_width": 1,
        "key_id": "76f15be0",
        "key": "0123456789abcdef",
    },
}

Change = Callable[[dict[str, Any], dict[str, Any]], object]


def tokenizer() -> dict[str, Any]:
    """A small one that is known to be exact."""
    content: dict[str, Any] = json.loads(TINY.read_text(encoding="utf-8"))
    return content


def split(pattern: dict[str, str], behavior: str = "Isolated", invert: bool = False) -> dict[str, Any]:
    """A step of a pre-tokenizer, and bytes."""
    first = {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert}
    last = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    return {"type": "Sequence", "pretokenizers": [first, last]}


def added(**flags: bool) -> dict[str, Any]:
    """An added token."""
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {"id": 4096, "content": "<x>", **plain, **flags}


CHOICES = ("gumbel", "synthid", "pf", "coupling", "textgrain")
"""How the names of marks begin that choose tokens."""


def drawn(profile: dict[str, Any], hasher: str) -> None:
    """Another hasher, and a scheme that goes with it."""
    profile["hasher"]["name"] = hasher
    if hasher.startswith(CHOICES):
        marked(profile, hasher)
    if hasher == "unigram":
        profile["hasher"]["context_width"] = 0


def marked(profile: dict[str, Any], scheme: str) -> None:
    """Another scheme, and a hasher that goes with it."""
    profile["scheme"]["name"] = scheme
    if scheme.startswith(CHOICES):
        profile["hasher"]["name"] = scheme
        del profile["hasher"]["gamma"]
    if scheme.startswith((*CHOICES, "morphmark")):
        del profile["scheme"]["parameters"]["delta"]


def seeded(profile: dict[str, Any], seed: int) -> None:
    """SynthID with a table of this seed."""
    marked(profile, "synthid")
    profile["hasher"]["parameters"] = {"table_seed": seed}


MESSAGE = {"code": "payload", "bits": 16, "parameters": {"permutation": "keyed"}}


def messages(profile: dict[str, Any], scheme: str, code: str) -> None:
    """A scheme whose marks carry messages."""
    marked(profile, scheme)
    profile["message"] = {**MESSAGE, "code": code}


TAKEN: dict[str, Change] = {
    "as it is": lambda p, t: None,
    "kgw, counted alike": lambda p, t: p["scheme"].update(name="kgw+uniform"),
    **{name: lambda p, t, one=name: marked(p, one) for name in UNIFORM},  # type: ignore[misc]
    **{f"hasher {name}": lambda p, t, one=name: drawn(p, one) for name in HASHERS},  # type: ignore[misc]
    "a message": lambda p, t: p.update(message=MESSAGE),
    "a message in what is chosen": lambda p, t: messages(p, "gumbel", "payload"),
    "older rules": lambda p, t: p["scheme"].update(parameters={}),
    "NFC": lambda p, t: t.update(normalizer={"type": "NFC"}),
    "a sequence": lambda p, t: t.update(normalizer={"type": "Sequence", "normalizers": [{"type": "NFC"}]}),
    "an added token": lambda p, t: t["added_tokens"].append(added(normalized=True, special=False)),
    **{
        f"pattern {n}": lambda p, t, one=one: t.update(pre_tokenizer=split({"Regex": one}))  # type: ignore[misc]
        for n, one in enumerate(PATTERNS)
    },
}


def tagged(profile: dict[str, Any], name: str, model: str) -> None:
    """Weights by a tagger."""
    profile["scheme"]["name"] = "stela"
    profile |= {
        "k": 2,
        "window": 6,
        "tagger": {"name": name, "model": model, "version": "1", "fingerprint": "0" * 16},
    }


REFUSED: dict[str, Change] = {
    "scheme": lambda p, t: p["scheme"].update(name="sweet"),
    "evidence": lambda p, t: p["scheme"].update(name="kgw+ewd"),
    "no tagger": lambda p, t: p["scheme"].update(name="stela"),
    "tagger": lambda p, t: tagged(p, "ctb", "shipped"),
    "a tagger's other model": lambda p, t: tagged(p, "penn", "shipped"),
    "three schemes": lambda p, t: p["scheme"].update(name="kgw+kgw+kgw"),
    "hasher": lambda p, t: p["hasher"].update(name="left-hash"),
    "device": lambda p, t: p["hasher"].update(device="cuda"),
    "a message of another code": lambda p, t: messages(p, "kgw", "whole"),
    "a message in another mark": lambda p, t: messages(p, "gumbel-vllm", "payload"),
    "a message in a mark without": lambda p, t: messages(p, "pf", "payload"),
    "a seed that JavaScript rounds": lambda p, t: seeded(p, (1 << 53) + 1),
    "repeats": lambda p, t: p["scheme"]["parameters"].update(repeats="cube-root"),
    "ties": lambda p, t: p["scheme"]["parameters"].update(ties="tossed"),
    "Unigram": lambda p, t: t.update(model={"type": "Unigram", "vocab": [["a", -1.0]]}),
    "dropout": lambda p, t: t["model"].update(dropout=0.1),
    "suffix": lambda p, t: t["model"].update(end_of_word_suffix="</w>"),
    "unknown": lambda p, t: t["model"].update(unk_token="a"),
    "fallback": lambda p, t: t["model"].update(byte_fallback=True),
    "no bytes": lambda p, t: t.update(pre_tokenizer=None),
    "Lowercase": lambda p, t: t.update(normalizer={"type": "Lowercase"}),
    "NFKC": lambda p, t: t.update(normalizer={"type": "NFKC"}),
    "Prepend": lambda p, t: t.update(normalizer={"type": "Prepend", "prepend": "x"}),
    "Replace": lambda p, t: t.update(
        normalizer={"type": "Replace", "pattern": {"String": "a"}, "content": "b"}
    ),
    "Metaspace": lambda p, t: t.update(pre_tokenizer={"type": "Metaspace", "replacement": "_"}),
    "digits together": lambda p, t: t["pre_tokenizer"]["pretokenizers"][0].update(individual_digits=False),
    "a space in front": lambda p, t: t["pre_tokenizer"]["pretokenizers"][1].update(add_prefix_space=True),
    "another pattern": lambda p, t: t.update(pre_tokenizer=split({"Regex": r"\w+"})),
    "removed": lambda p, t: t.update(pre_tokenizer=split({"Regex": PATTERNS[0]}, "Removed")),
    "inverted": lambda p, t: t.update(pre_tokenizer=split({"Regex": PATTERNS[0]}, invert=True)),
    "behind bytes": lambda p, t: t["pre_tokenizer"]["pretokenizers"].reverse(),
    "a word": lambda p, t: t["added_tokens"].append(added(single_word=True)),
    "spaces": lambda p, t: t["added_tokens"].append(added(lstrip=True)),
}


def changed(change: Change) -> tuple[dict[str, Any], dict[str, Any]]:
    """A profile and a tokenizer with something about them changed."""
    profile, content = copy.deepcopy(PROFILE), tokenizer()
    change(profile, content)
    return profile, content


@pytest.mark.parametrize("name", TAKEN)
def test_what_is_known_to_be_exact_is_taken(name: str) -> None:
    assert refusal(*changed(TAKEN[name])) is None


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_is_refused_in_one_line(name: str) -> None:
    profile, content = changed(REFUSED[name])
    with pytest.raises(stela.StelaError) as caught:
        require_reproducible(profile, content, 'profile "p.stela"')
    assert "\n" not in str(caught.value)


def test_a_tagger_is_named_with_the_service() -> None:
    profile, content = changed(lambda p, t: tagged(p, "ud-stanza", "en"))
    with pytest.raises(stela.StelaError, match='tagger "ud-stanza"') as caught:
        require_reproducible(profile, content, 'profile "p.stela"')
    assert "stela serve" in str(caught.value.hint)


@pytest.mark.parametrize("tagger", TAGGERS)
def test_taggers_that_were_carried_over_are_taken(tagger: tuple[str, str]) -> None:
    assert refusal(*changed(lambda p, t: tagged(p, *tagger))) is None


def test_a_tagger_whose_tags_weigh_no_evidence_is_no_matter() -> None:
    profile, content = changed(lambda p, t: tagged(p, "ctb", "shipped"))
    profile["scheme"]["name"] = "stela+kgw"
    assert refusal(profile, content) is None


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
@pytest.mark.skipif(not ESBUILD.exists(), reason="needs npm ci in plugins/stela-page")
def test_the_browser_takes_and_refuses_the_same(tmp_path: Path) -> None:
    program = tmp_path / "refusals.mjs"
    source = PLUGIN / "web" / "tests" / "refusals.ts"
    bundle = ["--bundle", "--platform=node", "--format=esm", "--log-level=warning", f"--outfile={program}"]
    subprocess.run([str(ESBUILD), str(source), *bundle], check=True)
    cases = {name: changed(change) for name, change in (TAKEN | REFUSED).items()}
    (tmp_path / "cases.json").write_text(json.dumps(list(cases.values())), encoding="utf-8")
    command = ["node", str(program), str(tmp_path / "cases.json")]
    out = subprocess.run(command, check=True, capture_output=True, text=True, env=dict(os.environ)).stdout
    refused = dict(zip(cases, json.loads(out), strict=True))
    assert {name for name, reason in refused.items() if reason is None} == set(TAKEN)
    assert all("\n" not in reason for reason in refused.values() if reason)
