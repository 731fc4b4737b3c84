"""``sejong:causal`` as a user meets it: beside the default, without Kiwi, on hostile texts."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from subprocess import run

import pytest
from korean_texts import SENTENCES
from stela_sejong import Sejong
from stela_sejong.tagger import CausalSejong
from stela_tables.file import read_table
from stela_testing import run_cli

import stela_core as stela
from stela_core.text.windows import window_starts

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def causal() -> Sejong:
    return Sejong(Sejong.Parameters(model="causal"))


def test_known_analysis(causal: Sejong) -> None:
    # By the definition of the tag set, as for the default.
    text = "한국의 역사는 길다."
    [tags] = causal.tag([text])
    assert [tag.tag for tag in tags] == ["NNP", "JKG", "NNG", "JX", "VA", "EF", "SF"]
    assert [text[tag.start : tag.end] for tag in tags] == ["한국", "의", "역사", "는", "길", "다", "."]


def test_both_models_are_told_apart(causal: Sejong) -> None:
    plain = Sejong()
    assert causal.fingerprint != plain.fingerprint
    assert causal.fingerprint == Sejong.fingerprint_of(Sejong.Parameters(model="causal"))
    assert causal.model == "causal"
    assert "stela-sejong" in causal.version
    assert Sejong.accepts_from_profile("causal")
    assert set(causal.tables()) == set(plain.tables()) == {2, 3, 4}
    assert not set(causal.tables().values()) & set(plain.tables().values())
    for file in causal.tables().values():
        assert json.loads(file.read_text(encoding="utf-8"))["tagger"]["fingerprint"] == causal.fingerprint


def test_tags_are_those_that_the_default_has(causal: Sejong) -> None:
    """One tag set: no table of the causal model holds a tag that the default's tables lack."""
    tags = [set(read_table(file).tags) for file in (causal.tables()[2], Sejong().tables()[2])]
    assert tags[0] <= tags[1]


def test_most_last_tags_are_those_of_the_default(causal: Sejong) -> None:
    text = " ".join(SENTENCES)
    cut = [text[max(0, end - 25) : end].lstrip() for end in range(20, len(text))]
    pairs = list(zip(causal.last_tags(cut, 1), Sejong().last_tags(cut, 1), strict=True))
    assert sum(a == b for a, b in pairs) > 0.8 * len(pairs)


def test_most_windows_share_the_pass(causal: Sejong) -> None:
    text = " ".join(SENTENCES)
    ends = list(range(1, len(text) + 1))
    spans = list(zip(window_starts(text, ends, Sejong.window, "word"), ends, strict=True))
    assert isinstance(causal.used, CausalSejong)
    known = causal.used._words._lying([text], [spans], 3)
    assert sum(tags is None for tags in known) < 0.1 * len(known)
    alone = [causal.last_tags([text[a:b]], 3)[0] for a, b in spans]
    assert causal.last_tags_within([text], [spans], 3) == [alone]


def test_works_without_kiwi(causal: Sejong, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kiwipiepy", None)
    with pytest.raises(stela.MissingLibraryError, match="pip install kiwipiepy"):
        Sejong()
    alone = Sejong(Sejong.Parameters(model="causal"))
    assert alone.tag(SENTENCES) == causal.tag(SENTENCES)
    assert alone.fingerprint == causal.fingerprint
    assert alone.version == causal.version


def test_imports_no_kiwi_and_no_torch() -> None:
    program = (
        "import sys; from stela_sejong import Sejong; "
        "Sejong(Sejong.Parameters(model='causal')).tag(['한국']); "
        "print([name for name in ('kiwipiepy', 'torch') if name in sys.modules])"
    )
    done = run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_says_that_numba_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(stela.MissingLibraryError, match="pip install numba"):
        Sejong(Sejong.Parameters(model="causal"))


@pytest.mark.deep(keep=["("])
@pytest.mark.parametrize("part", ["1", "😀", "(", " ", "가", "\x00", "a"])
def test_a_hundred_thousand_characters(causal: Sejong, part: str) -> None:
    text = part * 100_000
    [tags] = causal.tag([text])
    assert bool(tags) == bool(text.strip())
    assert all(0 <= tag.start < tag.end <= len(text) for tag in tags)
    ends = range(90, 100_000, 5_000)
    spans = [(end - 80, end) for end in ends]
    assert causal.last_tags_within([text], [spans], 3) == [causal.last_tags([text[a:b] for a, b in spans], 3)]


@pytest.mark.parametrize("text", ["\ud800", "한국 \udfff"])
def test_lone_surrogates_are_refused_in_windows_too(causal: Sejong, text: str) -> None:
    with pytest.raises(stela.StelaError, match="surrogate"):
        causal.last_tags_within([text], [[(0, 1)]], 2)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_shipped_tables(causal: Sejong, k: int) -> None:
    table = read_table(causal.tables()[k])
    assert table.k == k
    assert (table.tagger.name, table.tagger.tagset) == ("sejong", "Sejong")
    assert [corpus.name for corpus in table.corpora] == ["petitions", "wikipedia"]
    assert all(context in set(table.contexts) for context in causal.last_tags(SENTENCES, k - 1))


def test_profile_of_the_command_line_marks_and_finds(tmp_path: Path) -> None:
    """Weights of insertion are those of detection, token by token, and the mark is found."""
    import torch

    file = tmp_path / "p.stela"
    words = "profile new --scheme stela --tagger sejong:causal --model tiny --public-key -o"
    done = run_cli(*words.split(), file)
    assert done.status == 0, done.err
    mark = stela.load(file)
    assert mark.profile.tagger is not None
    assert (mark.profile.tagger.model, mark.profile.language) == ("causal", "ko")
    model, tokenizer = stela.load_model("tiny")
    prompts = ["이 도시의 역사는", "어제 학교에서"]
    inputs = tokenizer(prompts, return_tensors="pt", padding=True, return_token_type_ids=False)
    processor = mark.logits_processor(tokenizer, record=True)
    torch.manual_seed(1)
    out = model.generate(
        **inputs, min_new_tokens=160, max_new_tokens=160, do_sample=True, logits_processor=[processor]
    )
    for ids, inserted in zip(out[:, inputs["input_ids"].shape[1] :].tolist(), processor.weights, strict=True):
        [evidence] = mark.detector.evidence([ids])
        assert inserted == [token.weight for token in evidence.tokens()]
        [detection] = mark.detect_ids([ids])
        assert detection.p_value is not None
        assert detection.p_value < 1e-3
