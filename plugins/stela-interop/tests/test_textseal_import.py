"""``stela profile import --textseal``: profiles that mark and find, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from stela_interop.foreign_textseal import read_textseal
from stela_testing import assert_refused, run_cli

import stela_core as stela

SECRET = 5150515051505150


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({}, "holds no secret_key"),
        ({"watermark_type": "textseal"}, "holds no secret_key"),
        ('{"secret_key":', "is not JSON"),
        ({"secret_key": "42"}, "secret_key is not an integer"),
        ({"secret_key": True}, "secret_key is not an integer"),
        ({"secret_key": 2**63}, "secret_key is not an integer"),
        ({"secret_key": -(2**63) - 1}, "secret_key is not an integer"),
        ({"secret_key": 1, "secret_key_b": -2}, "secret_key_b is not an integer"),
        ({"secret_key": 1, "secret_key_b": None}, "secret_key_b is not an integer"),
        ({"secret_key": 1, "watermark_type": "morphmark"}, '"morphmark" is not reproduced'),
        ({"secret_key": 1, "watermark_type": "synthid-other"}, '"synthid-other" is not reproduced'),
        ({"secret_key": 1, "watermark_type": "greenlist", "gamma": 0}, "gamma"),
        ({"secret_key": 1, "watermark_type": "greenlist", "delta": -1}, "delta"),
        ({"secret_key": 1, "watermark_type": "greenlist", "key_routing": True}, "with key_routing is not"),
        ({"secret_key": 1, "watermark_type": "synthid", "key_routing": True}, "with key_routing is not"),
        ({"secret_key": 1, "watermark_type": "synthid", "gamma": 0.6}, "synthid with gamma 0.6 is not"),
        ({"secret_key": 1, "watermark_type": "synthid", "depth": 65}, "depth"),
        ({"secret_key": 1, "watermark_type": "synthid", "depth": "ten"}, "depth"),
        ({"secret_key": 1, "watermark_type": "\x1b[2J"}, '"\\x1b[2J" is not reproduced'),
        (
            {"secret_key": 1, "watermark_type": 7},
            "watermark_type: input should be 'gumbelmax', 'textseal', 'greenlist'",
        ),
        ({"secret_key": 1, "ngram": 0}, "ngram"),
        ({"secret_key": 1, "ngram": 11}, "ngram"),
        ({"secret_key": 1, "mixing_alpha": 1}, "mixing_alpha"),
        ({"secret_key": 1, "scoring_method": "v3"}, "scoring_method"),
        ({"secret_key": 1, "secret_keyb": 2}, '"secret_keyb" is not a setting'),
        ({"key": 1, "prf": "philox"}, "vLLM's, which --textseal does not read"),
    ],
)
def test_what_is_refused(content: Any, expected: str) -> None:
    with pytest.raises(stela.StelaError) as caught:
        read_textseal(content if isinstance(content, str) else json.dumps(content))
    assert expected in caught.value.message
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("name", ["secret_key", "secret_key_b"])
def test_no_error_repeats_a_key(name: str) -> None:
    for value in (str(SECRET), [SECRET], SECRET + 0.5):
        with pytest.raises(stela.StelaError) as caught:
            read_textseal(json.dumps({"secret_key": 1, name: value}))
        assert str(SECRET) not in str(caught.value)


def test_what_becomes_of_the_settings() -> None:
    one = read_textseal('{"secret_key": 42, "ngram": 2, "gamma": 0.5, "method": "binary"}')
    assert (one.hasher, one.key, one.words, one.context_width) == ("gumbel-textseal", 42, 1, 2)
    assert "default key" in one.remarks[0]
    two = read_textseal('{"secret_key": -5, "watermark_type": "textseal", "mixing_alpha": 0.3}')
    assert (two.hasher, two.key, two.words) == ("gumbel-textseal-dual", 2**64 - 5, 1)
    assert two.parameters == {"scoring_method": "v2", "mixing_alpha": 0.3}
    same = read_textseal('{"secret_key": 5, "watermark_type": "textseal", "secret_key_b": 12350}')
    assert same.words == 1
    own = read_textseal('{"secret_key": 5, "watermark_type": "textseal", "secret_key_b": 7}')
    assert (own.key, own.words, own.parameters["own_b"]) == (5 << 64 | 7, 2, True)


def test_what_becomes_of_green_lists() -> None:
    green = read_textseal(
        '{"secret_key": -5, "watermark_type": "maryland", "gamma": 0.25, "delta": 1.5, "ngram": 3}'
    )
    assert (green.hasher, green.scheme, green.key) == ("interop-textseal", "uniform", 2**64 - 5)
    assert (green.gamma, green.context_width, green.values) == (0.25, 3, {"delta": 1.5})
    assert green.parameters == {"scoring_method": "v2"}
    assert "after temperature and top-p" in green.remarks[0]
    first = read_textseal('{"secret_key": 7, "watermark_type": "greenlist", "after_topp": false}')
    assert first.remarks == ()


def test_what_becomes_of_tournaments() -> None:
    """Main has another SynthID than the release: its configurations are told by settings of two keys."""
    released = read_textseal('{"secret_key": 7, "watermark_type": "synthid", "gamma": 0.25, "depth": 12}')
    assert (released.hasher, released.scheme) == ("synthid-textseal", "synthid-textseal")
    wanted = {"scoring_method": "v2", "gamma": 0.25, "depth": 12, "stride": 1, "layers": "mean"}
    assert released.parameters == wanted
    assert "0.0.5's" in released.remarks[0]
    main = read_textseal('{"secret_key": 7, "watermark_type": "synthid-weighted", "secret_key_b": -1}')
    assert (main.parameters["stride"], main.parameters["layers"]) == (659101, "weighted")
    assert "main's" in main.remarks[0]


def test_settings_of_textseal_are_told_from_others() -> None:
    from stela_interop.foreign_engines import read_vllm

    with pytest.raises(stela.StelaError, match="TextSeal's, which --vllm does not read") as caught:
        read_vllm('{"secret_key": 42, "ngram": 1}')
    assert "--textseal" in caught.value.hint


def test_two_keys_that_are_one_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("stela_gumbel")
    config = {"secret_key": 7, "secret_key_b": 7, "watermark_type": "textseal"}
    given = ("--textseal", json.dumps(config), "--model", "tiny", "--public-key")
    assert_refused(run_cli("profile", "import", *given, "-o", str(tmp_path / "p.stela")), "too much alike")


@pytest.mark.deep(keep=["more0"])
@pytest.mark.slow
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"watermark_type": "textseal"},
        {"watermark_type": "textseal", "secret_key_b": 9},
        {"watermark_type": "greenlist", "delta": 4.0},
        {"watermark_type": "synthid"},
        {"watermark_type": "synthid-weighted", "secret_key_b": -1},
    ],
)
def test_the_whole_way(more: dict[str, Any], tmp_path: Path) -> None:
    """Imported, marked, found, the key in a file."""
    pytest.importorskip("stela_gumbel")
    pytest.importorskip("stela_synthid")
    profile, out, keys = (str(tmp_path / name) for name in ("p.stela", "out.jsonl", "key.txt"))
    given = ("--textseal", json.dumps({"secret_key": 1234567, "ngram": 2, **more}), "--model", "tiny")
    assert run_cli("profile", "import", *given, "--key-file", keys, "-o", profile).status == 0
    prompt = ("--prompt", "The history of the city", "--max-new-tokens", "80", "--seed", "1")
    made = run_cli(
        "generate", "--profile", profile, "--key-file", keys, "--model", "tiny", *prompt, "-o", out
    )
    assert made.status == 0, made.err
    assert run_cli("profile", "trust", profile).status == 0
    detected = run_cli("detect", "--profile", profile, "--key-file", keys, out, "--json")
    [result] = detected.json
    assert result["verdict"] == "watermarked"
    assert result["beside"]["TextSeal p-value"] < 1e-3
