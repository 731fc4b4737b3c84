"""``penn:causal``: the contract, compared with the default, without spaCy, and from a profile."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from subprocess import run

import pytest
from stela_causal.word_files import read_model
from stela_causal.words import CausalWords
from stela_penn import Penn
from stela_tables.file import read_table
from stela_testing import TaggerContract, run_cli
from stela_testing.texts import ENGLISH

import stela_core as stela
from stela_core.api import make_tagger
from stela_core.text.windows import window_starts

from .test_penn import HAND_TAGGED, windows

pytestmark = pytest.mark.slow

FOLDER = Path(sys.modules[Penn.__module__].__file__ or "").parent / "causal"


def causal_penn() -> Penn:
    return Penn(Penn.Parameters(model="causal"))


@pytest.fixture(scope="module")
def causal() -> Penn:
    return causal_penn()


class TestContract(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls) -> Penn:
        return causal_penn()

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return windows(80)


def test_tags_agree_with_a_human(causal: Penn) -> None:
    right = total = 0
    for line in HAND_TAGGED:
        words = [pair.rsplit("/", 1) for pair in line.split()]
        text = " ".join(word for word, _ in words)
        [tags] = causal.tag([text])
        assert [text[t.start : t.end] for t in tags] == [word for word, _ in words]
        right += sum(t.tag == gold for t, (_, gold) in zip(tags, words, strict=True))
        total += len(words)
    assert right / total > 0.9


def test_words_that_are_written_as_one_are_parted(causal: Penn) -> None:
    text = "I don't think (yet) that we'll see John's well-known dog."
    [tags] = causal.tag([text])
    words = [(text[tag.start : tag.end], tag.tag) for tag in tags]
    for word in [("do", "VBP"), ("n't", "RB"), ("(", "-LRB-"), ("'ll", "MD"), ("'s", "POS"), ("-", "HYPH")]:
        assert word in words


def test_both_models_are_told_apart(causal: Penn) -> None:
    plain = Penn()
    assert causal.fingerprint != plain.fingerprint
    for model, tagger in (("causal", causal), ("shipped", plain)):
        assert tagger.fingerprint == Penn.fingerprint_of(Penn.Parameters(model=model))
        assert tagger.model == model
        assert Penn.accepts_from_profile(model)
    assert "stela-penn" in causal.version
    assert (causal.window, plain.window) == (10, 6)
    assert set(causal.tables()) == set(plain.tables()) == {2, 3, 4}
    assert not set(causal.tables().values()) & set(plain.tables().values())
    assert {*causal.tables().values(), *plain.tables().values()} == set(Penn.shipped_tables())


def test_what_was_shipped_before_has_the_fingerprint_that_profiles_name() -> None:
    assert Penn().fingerprint == "dcc5aa82be2434f9"


@pytest.mark.parametrize("k", [2, 3, 4])
def test_shipped_tables(causal: Penn, k: int) -> None:
    file = causal.tables()[k]
    table = read_table(file)
    assert table.k == k
    assert (table.tagger.name, table.tagger.tagset) == ("penn", "Penn Treebank")
    assert [corpus.name for corpus in table.corpora] == ["openstax", "wikipedia"]
    assert json.loads(file.read_text(encoding="utf-8"))["tagger"]["fingerprint"] == causal.fingerprint
    assert all(context in set(table.contexts) for context in causal.last_tags([ENGLISH], k - 1))


def test_tags_are_those_that_the_default_has(causal: Penn) -> None:
    """One tag set: no tag of the causal model is unknown to the default's pipeline."""
    import spacy

    labels = read_model(FOLDER / "model").labels
    pipeline = spacy.load(FOLDER.parent / "model")
    assert {tag for label in labels for tag in label} <= set(pipeline.get_pipe("tagger").labels)  # type: ignore[attr-defined]


def test_works_without_spacy(causal: Penn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(stela.MissingLibraryError, match="pip install"):
        Penn()
    other = causal_penn()
    assert other.tag([ENGLISH]) == causal.tag([ENGLISH])
    assert other.fingerprint == causal.fingerprint
    assert other.version == causal.version


def test_says_that_numba_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(stela.MissingLibraryError, match="pip install numba"):
        causal_penn()


DETECT = """
import sys
import stela_core as stela
detection = stela.load(sys.argv[1]).detect(sys.argv[2])
assert detection.scored_tokens > 10
print([name for name in ("spacy", "thinc", "torch", "transformers") if name in sys.modules])
"""


def test_profile_of_the_command_line_marks_and_finds_without_spacy(tmp_path: Path) -> None:
    """Weights of insertion are those of detection, token by token, and the mark is found."""
    import torch

    file = tmp_path / "p.stela"
    words = "profile new --scheme stela --tagger penn:causal --model tiny --public-key -o"
    done = run_cli(*words.split(), file)
    assert done.status == 0, done.err
    mark = stela.load(file)
    assert mark.profile.tagger is not None
    assert (mark.profile.tagger.model, mark.profile.language, mark.profile.window) == ("causal", "en", 10)
    model, tokenizer = stela.load_model("tiny")
    prompts = ["The history of the city", "Yesterday they didn't"]
    inputs = tokenizer(prompts, return_tensors="pt", padding=True, return_token_type_ids=False)
    processor = mark.logits_processor(tokenizer, record=True)
    torch.manual_seed(1)
    out = model.generate(
        **inputs, min_new_tokens=160, max_new_tokens=160, do_sample=True, logits_processor=[processor]
    )
    rows = out[:, inputs["input_ids"].shape[1] :].tolist()
    together = mark.detector.evidence(rows)
    for ids, inserted, evidence in zip(rows, processor.weights, together, strict=True):
        [one] = mark.detector.evidence([ids])
        weights = [token.weight for token in one.tokens()]
        assert inserted == weights == [token.weight for token in evidence.tokens()]
        [detection] = mark.detect_ids([ids])
        assert detection.p_value is not None
        assert detection.p_value < 1e-3
    program = [sys.executable, "-c", DETECT, str(file), ENGLISH]
    done_light = run(program, capture_output=True, text=True, check=False)
    assert done_light.stdout.strip() == "[]", done_light.stderr


COMMAND = """
import sys
if sys.argv[1] == "compiled":
    import numba
from stela_cli.main import main
sys.argv[1:] = ["detect", *sys.argv[2:], "--json", "--tokens"]
try:
    main()
finally:
    loaded = [name for name in ("numba", "spacy", "torch") if name in sys.modules]
    print(*loaded, file=sys.stderr)
"""


@pytest.mark.deep(keep=["1-False"])
@pytest.mark.parametrize(("times", "numba"), [(1, False), (20, True)])
def test_a_command_starts_numba_for_long_texts_only_and_says_the_same(
    tmp_path: Path, times: int, numba: bool
) -> None:
    profile, text = tmp_path / "p.stela", tmp_path / "t.txt"
    words = "profile new --scheme stela --tagger penn:causal --model tiny --public-key -o"
    assert run_cli(*words.split(), profile).status == 0
    text.write_text(" ".join([ENGLISH, "It's 3.5% \u2014 ok?"] * times), encoding="utf-8")
    plain, compiled = (
        run(
            [sys.executable, "-c", COMMAND, way, str(text), "--profile", str(profile)],
            capture_output=True,
            text=True,
            check=True,
        )
        for way in ("plain", "compiled")
    )
    assert plain.stderr.split() == (["numba"] if numba else [])
    assert compiled.stderr.split() == ["numba"]
    assert plain.stdout == compiled.stdout
    assert len(json.loads(plain.stdout)["tokens"]) > 30 * times


def test_a_model_says_the_same_from_its_files(causal: Penn) -> None:
    words = CausalWords(read_model(FOLDER / "model"))
    texts = windows(50, seed=5)
    assert words.tag(texts) == causal.tag(texts)
    assert causal.last_tags(texts, 2) == [tuple(tag.tag for tag in tags[-2:]) for tags in causal.tag(texts)]


def test_make_tagger_takes_it_by_name(registry: stela.Registry, causal: Penn) -> None:
    made = make_tagger(registry, "penn:causal")
    assert isinstance(made, Penn)
    assert made.fingerprint == causal.fingerprint


def test_few_windows_are_tagged_by_themselves(causal: Penn) -> None:
    """The network sees less than a window: those of a text share its pass."""
    text = " ".join(" ".join(windows(1_500)).split())[:20_000]
    ends = list(range(500, len(text), 7))
    spans = list(zip(window_starts(text, ends, causal.window, "word"), ends, strict=True))
    known = causal.used._words._lying([text], [spans], 2)
    assert sum(tags is None for tags in known) < 0.06 * len(known)
    assert causal.last_tags_within([text], [spans], 2) == [causal.last_tags([text[a:b] for a, b in spans], 2)]
