import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stela_testing import TaggerContract

import stela_core as stela

sys.path.insert(0, str(Path(__file__).parent))
from random_model import SHAPES, RandomTagger, all_scores, plain_in, tagger_in
from stela_causal.tagger import CausalTagger
from stela_causal.word_files import Description, read_model
from stela_causal.word_network import BLOCK, WordNetwork
from stela_causal.words import CausalWords

PROSE = "La bela urbo. Ili iras, 12 el 3! Dé nia 가나다 landoj al Ξένος 東京 mondo kaj iras; "
PROSES = [
    "今天早上，我们一起去学校上课。2004年3月5日，该公司宣布了新的计划。我 在　家 Ａ１龘🙂\r\n好",
    "한국의 역사는 오래되었고 그 문화는 다양하다. 걸어서 갔다가 도와 주셨어요! 12.5% ㅋㅋ 뷁漢字\r\n🙂좋아",
]
SHIPPED = [("stela_ctb", "causal/model"), ("stela_sejong", "causal/model")]
TEXTS = [PROSE[start : start + 12 + start] for start in range(0, 60, 2)]


KINDS = pytest.mark.parametrize("shape", SHAPES, ids=["words", "characters", "pairs"])


class TestRandom(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls, tmp_path_factory: pytest.TempPathFactory) -> CausalTagger:
        return tagger_in(tmp_path_factory.mktemp("random"))

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return TEXTS


@KINDS
def test_endings_and_scores_are_those_of_the_definition(tmp_path: Path, shape: Description) -> None:
    tagger_in(tmp_path, shape)
    model, plain = read_model(tmp_path / "model"), plain_in(tmp_path / "model")
    network = WordNetwork(model)
    long = PROSE * (BLOCK // len(PROSE) + 2)
    for text in (*TEXTS[:5], long):
        encoded = model.alphabet.encode([text], network.gap)
        expected = [plain.rows(text, place) for place in range(len(text))]
        assert encoded.endings[: len(text)].tolist() == expected
        scores = all_scores(network, encoded)[: len(text)]
        np.testing.assert_allclose(scores, plain.scores(text), rtol=1e-3, atol=1e-3)


@KINDS
def test_words_are_those_of_the_definition(tmp_path: Path, shape: Description) -> None:
    tagger = tagger_in(tmp_path, shape)
    plain = plain_in(tmp_path / "model")
    within, seen = 0, set[str]()
    for text, tags in zip(TEXTS, tagger.tag(TEXTS), strict=True):
        within += len(plain.words(text)) - len(text.split())
        assert [tuple(tag) for tag in tags] == plain.tags(text)
        seen |= {tag.tag for tag in tags}
    assert within > 20  # boundaries that no white space tells
    assert len(seen) > 2


@pytest.mark.parametrize(("module", "folder"), SHIPPED)
def test_words_of_shipped_models_are_those_of_the_definition(module: str, folder: str) -> None:
    """Those of which each kind but the first has one: of Chinese and of Korean."""
    home = Path(import_module(module).__file__ or "").parent / folder
    plain, fast = plain_in(home), CausalWords(read_model(home))
    for text in (*TEXTS, *PROSES, *(each[n : n + 30] for each in PROSES for n in range(0, 60, 7))):
        assert [tuple(tag) for tag in fast.tag([text])[0]] == plain.tags(text)


@KINDS
def test_places_beyond_the_reach_change_nothing(tmp_path: Path, shape: Description) -> None:
    tagger_in(tmp_path, shape)
    model = read_model(tmp_path / "model")
    network, encode = WordNetwork(model), model.alphabet.encode
    whole = all_scores(network, encode([PROSE], network.gap))
    for cut in range(1, 30):
        part = all_scores(network, encode([PROSE[cut:]], network.gap))
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
        ({"grams": True}, "lengths"),
        ({"kinds": [[5, 4, 0, 0]]}, "kind"),
        ({"pairs": "aab"}, "pairs"),
        ({"labels_at": "all"}, "go together"),
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
