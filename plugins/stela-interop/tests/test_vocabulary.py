from __future__ import annotations

import json
from pathlib import Path

import pytest
from stela_interop.vocabulary import config_vocab_size

import stela_core as stela


@pytest.mark.parametrize(
    ("config", "size"),
    [
        ({"model_type": "llama", "vocab_size": 123}, 123),
        # A model of text and images: the text's is the one that generation looks at.
        ({"model_type": "x", "vocab_size": 5, "text_config": {"vocab_size": 77}}, 77),
        # Files leave out what is the class's default: 32,000 for Llama.
        ({"model_type": "llama"}, 32_000),
    ],
)
def test_size_of_the_logits(
    registry: stela.Registry, tmp_path: Path, config: dict[str, object], size: int
) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert config_vocab_size(registry, str(tmp_path)) == size


def test_alias(registry: stela.Registry) -> None:
    assert config_vocab_size(registry, "tiny") == 8192


@pytest.mark.parametrize("content", ["{", "[]", '{"model_type": "nothing-known"}'])
def test_no_size_is_one_line(registry: stela.Registry, tmp_path: Path, content: str) -> None:
    (tmp_path / "config.json").write_text(content)
    with pytest.raises(stela.StelaError, match="--vocab-size") as caught:
        config_vocab_size(registry, str(tmp_path))
    assert "\n" not in str(caught.value)
