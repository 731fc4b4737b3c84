"""What is tested is looked at once: each text and prompt checked once, and cut into tokens once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest
from stela_models.logits import ModelLogits
from stela_testing.texts import ENGLISH, random_text
from tokenizers import Encoding, Tokenizer

import stela_core as stela
from stela_core.builtin.hashers import KeyedHasher
from stela_core.builtin.plugin import Uniform
from stela_core.builtin.scorers import GroupedScorer
from stela_core.composition import Composition
from stela_core.detection import batch as batch_module
from stela_core.detection.batch import Batch
from stela_core.detection.detector import Detector
from stela_core.interfaces.logits import Chunk, Ids
from stela_core.profile.create import Settings
from stela_core.text.token_bytes import TokenBytes
from tests.helpers import all_readings

TEXTS = [ENGLISH, ENGLISH.replace(" ", "  "), random_text(1)]
"""The second one has a canonical form, and so two readings."""

PROMPTS = ["Once upon", "a time", "Once upon"]


class ReadsPrompt(KeyedHasher):
    """The token before a text's first one is its prompt's last."""

    reads_prompt = True


class Likely(stela.Weighting):
    """The largest of the model's logits."""

    name = "likely"
    needs = frozenset({"logits"})

    def weights(self, positions: stela.Positions) -> npt.NDArray[np.float64]:
        return np.asarray(positions.logits).max(axis=1)


class Counted:
    """A tokenizer that counts what it is given."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self.cut: Counter[str] = Counter()

    def encode_batch_fast(self, texts: list[str], add_special_tokens: bool) -> list[Encoding]:
        self.cut.update(texts)
        return self._tokenizer.encode_batch_fast(texts, add_special_tokens=add_special_tokens)


class CountedLogits(ModelLogits):
    """A model that expects every token alike, and counts the prompts that it cuts into tokens."""

    def __init__(self) -> None:
        self.cut: Counter[str] = Counter()

    def _ids_of(self, prompt: str) -> Ids:
        self.cut[prompt] += 1
        return np.arange(len(prompt))

    def chunks(
        self, texts: Sequence[Ids], positions: Sequence[npt.NDArray[np.intp]], prefixes: Sequence[Ids]
    ) -> Iterator[Chunk]:
        for number, at in enumerate(positions):
            yield Chunk(number, 0, len(at), np.full((len(at), 8), len(prefixes[number])))


def detector(tokenizer: Tokenizer, weighting: stela.Weighting) -> tuple[Detector, Counter[str]]:
    tokens, counted = TokenBytes.of(tokenizer), Counted(tokenizer)
    hasher = ReadsPrompt(KeyedHasher.Parameters(), 5)
    parts = Composition(hasher, weighting, weighting, GroupedScorer(GroupedScorer.Parameters()), 2.0, 1.0)
    return Detector(parts, cast("Tokenizer", counted), tokens, None, 8, 0.01), counted.cut


@pytest.mark.parametrize("several", [False, True])
def test_each_text_and_each_prompt_is_checked_once(
    registry: stela.Registry, tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch, several: bool
) -> None:
    mark = stela.Watermark(
        Settings("kgw").create(registry, tokenizer, 7, public=True).archive, None, registry
    )
    checked: Counter[str] = Counter()
    check = batch_module.require_well_formed

    def counting(texts: Sequence[str], what: str) -> None:
        checked.update(texts)
        check(texts, what)

    monkeypatch.setattr(batch_module, "require_well_formed", counting)
    if several:
        stela.Watermarks({"one": mark}).detect_many(TEXTS, PROMPTS)
    else:
        mark.detect_many(TEXTS, prompts=PROMPTS)
    assert checked == Counter([*TEXTS, *PROMPTS])


def test_each_reading_and_each_prompt_is_cut_once(tokenizer: Tokenizer) -> None:
    made, cut = detector(tokenizer, Uniform(stela.Parameters()))
    readings = Batch.of_texts(TEXTS, PROMPTS, reader=all_readings)
    detections = made.detect_batch(readings)
    assert [detection.readings for detection in detections] == [1, 2, 1]
    texts = [reading.text for of_text in readings.readings for reading in of_text]
    assert cut == Counter([*texts, *set(PROMPTS)])


def test_the_model_s_tokenizer_cuts_each_prompt_once(tokenizer: Tokenizer) -> None:
    made, _ = detector(tokenizer, Likely(stela.Parameters()))
    logits = CountedLogits()
    evidence = made.readings_evidence(Batch.of_texts(TEXTS, PROMPTS, logits, reader=all_readings))
    assert logits.cut == Counter(set(PROMPTS))
    assert [[set(each.weights) for each in readings] for readings in evidence] == [
        [{9.0}],
        [{6.0}, {6.0}],
        [{9.0}],
    ], "each reading stands after its text's prompt"


def test_prompts_are_one_a_text(registry: stela.Registry, tokenizer: Tokenizer) -> None:
    archive = Settings("kgw").create(registry, tokenizer, 7, public=True).archive
    mark: Any = stela.Watermark(archive, None, registry)
    for call in (mark.detect_many, stela.Watermarks({"one": mark}).detect_many):
        with pytest.raises(stela.StelaError, match="1 prompts for 3 texts"):
            call(TEXTS, prompts=["one"])
    with pytest.raises(stela.StelaError, match="1 prompts for 2 texts"):
        mark.detect_ids([[1], [2]], prompts=["one"])
