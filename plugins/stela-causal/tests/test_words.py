import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stela_testing import TaggerContract

import stela_core as stela

sys.path.insert(0, str(Path(__file__).parent))
from random_model import SHAPE, RandomTagger, plain_endings, plain_scores, plain_words, tagger_in
from stela_causal.tagger import CausalTagger
from stela_causal.word_files import read_model
from stela_causal.word_network import BLOCK, WordNetwork

PROSE = "La bela urbo. Ili iras, 12 el 3! Dé nia 가나다 landoj al Ξένος 東京 mondo kaj iras; "
TEXTS = [PROSE[start : start + 12 + start] for start in range(0, 60, 2)]


class TestRandom(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls, tmp_path_factory: pytest.TempPathFactory) -> CausalTagger:
        return tagger_in(tmp_path_factory.mktemp("random"))

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return TEXTS


def test_endings_and_scores_are_those_of_the_definition(tmp_path: Path) -> None:
    tagger_in(tmp_path)
    model = read_model(tmp_path / "model")
    network = WordNetwork(model)
    long = PROSE * (BLOCK // len(PROSE) + 2)
    for text in (*TEXTS[:5], long):
        encoded = model.alphabet.encode([text], network.gap)
        expected = [plain_endings(text, place, model.alphabet) for place in range(len(text))]
        assert encoded.endings[: len(text)].tolist() == expected
        scores = network.scores(encoded)[: len(text)].reshape(len(text), SHAPE.delay + 1, -1)
        np.testing.assert_allclose(scores, plain_scores(model, text), rtol=1e-3, atol=1e-3)


def test_words_are_those_of_the_definition(tmp_path: Path) -> None:
    tagger = tagger_in(tmp_path)
    model = read_model(tmp_path / "model")
    within = 0
    for text, tags in zip(TEXTS, tagger.tag(TEXTS), strict=True):
        words = plain_words(model, text)
        within += len(words) - len(text.split())
        expected = [(tag, a, b) for a, b, label in words for tag in model.labels[label]]
        assert [tuple(tag) for tag in tags] == expected
    assert within > 20  # boundaries that no white space tells


def test_places_beyond_the_reach_change_nothing(tmp_path: Path) -> None:
    tagger_in(tmp_path)
    network = WordNetwork(read_model(tmp_path / "model"))
    encode = read_model(tmp_path / "model").alphabet.encode
    whole = network.scores(encode([PROSE], network.gap))
    for cut in range(1, 30):
        part = network.scores(encode([PROSE[cut:]], network.gap))
        size = len(PROSE) - cut - network.reach
        assert np.array_equal(part[network.reach :][:size], whole[cut + network.reach :][:size])


def damaged(folder: Path, **changes: Any) -> None:
    file = folder / "model" / "model.json"
    file.write_text(json.dumps({**json.loads(file.read_text(encoding="utf-8")), **changes}), encoding="utf-8")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bits": 40}, "bits"),
        ({"lengths": [3, 2, 6]}, "lengths"),
        ({"width": 13}, "multiple of 4"),
        ({"labels": ["NOUN", ""]}, "label is empty"),
        ({"folded": "a"}, "do not go together"),
        ({"dilations": [0]}, "dilation"),
        ({"bits": 7}, "another size"),
        ({"more": 1}, "more"),
    ],
)
def test_a_damaged_model_is_told(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    tagger_in(tmp_path)
    damaged(tmp_path, **changes)
    with pytest.raises(stela.StelaError, match=message):
        read_model(tmp_path / "model")


def test_weights_that_are_cut_missing_or_no_numbers(tmp_path: Path) -> None:
    tagger_in(tmp_path)
    file = tmp_path / "model" / "weights.f2"
    whole = file.read_bytes()
    for content, message in ((whole[:-2], "another size"), (b"\x00\x7e" + whole[2:], "not a finite number")):
        file.write_bytes(content)
        with pytest.raises(stela.StelaError, match=message):
            read_model(tmp_path / "model")
    file.unlink()
    with pytest.raises(stela.StelaError, match="does not exist"):
        read_model(tmp_path / "model")


def test_another_model_has_another_fingerprint(tmp_path: Path) -> None:
    before = tagger_in(tmp_path).fingerprint
    file = tmp_path / "model" / "weights.f2"
    file.write_bytes(file.read_bytes()[::-1])
    other = type("Other", (RandomTagger,), {"folder": tmp_path})
    assert other.fingerprint_of(None) != before
