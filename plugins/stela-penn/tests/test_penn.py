import importlib.util
import random
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from pydoc_data.topics import topics

import pytest
import stela_penn
from stela_penn import Penn
from stela_spacy.pieces import LONGEST_RUN, pieces
from stela_testing.taggers import TaggerContract

import stela_core as stela
from tests.tiers import Draws

MODEL = Path(stela_penn.__file__).parent / "model"

# Tagged by hand, as the English Web Treebank does it: "to" is TO before a verb, else IN.
HAND_TAGGED = [
    "The/DT old/JJ dog/NN slept/VBD near/IN the/DT door/NN ./.",
    "She/PRP has/VBZ written/VBN three/CD long/JJ letters/NNS to/IN her/PRP$ brother/NN ./.",
    "We/PRP can/MD not/RB go/VB to/IN London/NNP today/NN ./.",
    "Who/WP wants/VBZ more/JJR coffee/NN ?/.",
    "There/EX are/VBP two/CD ways/NNS to/TO do/VB this/DT ./.",
    "He/PRP quickly/RB opened/VBD the/DT window/NN and/CC looked/VBD out/RP ./.",
]


def windows(count: int, seed: int = 0) -> list[str]:
    """Pieces of human text of 1 to 9 words, cut anywhere: in words, after spaces and line breaks."""
    chance = random.Random(seed)
    text = "\n".join(topics.values())
    found: list[str] = []
    while len(found) < count:
        end = chance.randrange(100, len(text))
        tail = text[end - 100 : end]
        found.append(tail[len(tail) - chance.choice((3, 10, 40, 60)) :])
    return found


@pytest.fixture(scope="module")
def penn() -> Penn:
    return Penn()


@pytest.mark.slow
class TestContract(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls) -> Penn:
        return Penn()

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return [*windows(60), *list(topics.values())[:3]]


def test_tags_agree_with_a_human(penn: Penn) -> None:
    right = total = 0
    for line in HAND_TAGGED:
        words = [pair.rsplit("/", 1) for pair in line.split()]
        text = " ".join(word for word, _ in words)
        tags = penn.tag([text])[0]
        assert [text[t.start : t.end] for t in tags] == [word for word, _ in words]
        right += sum(t.tag == gold for t, (_, gold) in zip(tags, words, strict=True))
        total += len(words)
    assert right / total > 0.9


def test_spans_cover_all_but_white_space(penn: Penn) -> None:
    for text in [*windows(200), "a  b\n\nc", " lead", "don't\tgo "]:
        covered = "".join(text[t.start : t.end] for t in penn.tag([text])[0])
        assert covered == "".join(text.split())


@pytest.mark.slow
def test_tags_are_those_of_spacy(penn: Penn, draws: Draws) -> None:
    """Many windows in a batch have the tags that spaCy gives them one at a time."""
    assert penn.used._batched  # type: ignore[union-attr]
    import spacy

    nlp = spacy.load(MODEL)
    texts = windows(draws(1000, 300), seed=1)
    expected = [tuple(t.tag_ for t in nlp(text) if not t.is_space) for text in texts]
    for count in (1, 2, 5):
        assert penn.last_tags(texts, count) == [tags[-count:] for tags in expected]


@pytest.mark.slow
def test_scores_have_the_same_bits_in_any_batch() -> None:
    """What lets windows be tagged in batches: a row's sums do not depend on the other rows."""
    import spacy

    nlp = spacy.load(MODEL)
    model = nlp.get_pipe("tagger").model
    docs = list(map(nlp.make_doc, [*windows(300, seed=2), "", " "]))
    expected = [model.predict([doc])[0].tobytes() for doc in docs]
    for size in (7, 32, 302):
        batches = [model.predict(docs[at : at + size]) for at in range(0, len(docs), size)]
        assert [scores.tobytes() for batch in batches for scores in batch] == expected


def test_pure_in_any_order_and_thread(penn: Penn) -> None:
    texts = windows(300, seed=3)
    alone = [penn.last_tags([text], 3)[0] for text in texts]
    order = random.Random(0).sample(range(len(texts)), len(texts))
    assert penn.last_tags([texts[i] for i in order], 3) == [alone[i] for i in order]
    batches = [texts[i : i + 7] for i in range(0, len(texts), 7)]
    with ThreadPoolExecutor(4) as pool:
        found = [
            tags for batch in pool.map(lambda batch: penn.last_tags(batch, 3), batches) for tags in batch
        ]
    assert found == alone


@pytest.mark.slow
def test_tags_do_not_depend_on_what_was_seen_before(monkeypatch: pytest.MonkeyPatch, draws: Draws) -> None:
    """A vocabulary that is thrown away changes nothing."""
    texts = windows(draws(150, 60), seed=4)
    expected = Penn().last_tags(texts, 2)
    small = Penn()
    assert small.last_tags(texts[:1], 2) == expected[:1]  # what rules are made of is in the vocabulary, too
    limit = len(small.used._nlp.vocab) + 30
    monkeypatch.setattr("stela_spacy.tagger.VOCABULARY_LIMIT", limit)
    before = [small.used._nlp]
    for text, tags in zip(texts, expected, strict=True):
        assert small.last_tags([text], 2)[0] == tags
        if small.used._nlp is not before[-1]:
            before.append(small.used._nlp)
    assert len(before) > 4
    assert len(small.used._nlp.vocab) <= limit


@pytest.mark.parametrize("count", [1, 2, 3])
def test_window_is_long_enough(penn: Penn, count: int) -> None:
    """The last tags of 6 words are those of the whole text before."""
    texts = [text[: i * 37 + 200] for text in list(topics.values())[:10] for i in range(10)]
    from stela_core.api import window_of

    texts = [" ".join(text.split()) for text in texts]
    short = [window_of(text, Penn.window, "word") for text in texts]
    # Windows that the bound on characters did not shorten.
    kept = [(s, t) for s, t in zip(short, texts, strict=True) if len(s.split()) == Penn.window]
    assert len(kept) > 50
    assert penn.last_tags([s for s, _ in kept], count) == penn.last_tags([t for _, t in kept], count)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["a" * 100_000, "😀" * 1000, "שלום " * 500, "(" * 1000, "\u200b" * 3000, "\ufeff", "中文" * 500, "\x00"],
)
def test_hostile_text(penn: Penn, text: str) -> None:
    tags = penn.tag([text])[0]
    assert "".join(text[t.start : t.end] for t in tags) == text.replace(" ", "")
    assert penn.last_tags([text], 2) == [tuple(t.tag for t in tags[-2:])]


def test_words_of_a_run_that_is_cut_stand_in_their_text(penn: Penn) -> None:
    text = "x" * 250 + " dogs sleep"
    spans = [(tag.start, tag.end) for tag in penn.tag([text])[0]]
    assert spans == [(0, 100), (100, 200), (200, 250), (251, 255), (256, 261)]


def test_pieces_join_to_the_text() -> None:
    text = "x" * 250 + " " + "y" * 100 + " z"
    cut = pieces(text)
    assert "".join(piece for _, piece in cut) == text
    assert [offset for offset, _ in cut] == [0, 100, 200]
    assert all(len(run) <= LONGEST_RUN for _, piece in cut for run in piece.split())


@pytest.mark.slow
def test_fingerprint_is_of_the_bytes_and_not_the_place(penn: Penn, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere"
    shutil.copytree(MODEL, copy)
    assert Penn().fingerprint == penn.fingerprint
    assert Penn(Penn.Parameters(model=str(copy))).fingerprint == penn.fingerprint
    meta = copy / "meta.json"
    meta.write_text(meta.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert Penn(Penn.Parameters(model=str(copy))).fingerprint != penn.fingerprint


@pytest.mark.slow
def test_a_model_named_by_its_folder_gives_the_same_tags(penn: Penn) -> None:
    named = Penn(Penn.Parameters(model=str(MODEL)))
    texts = windows(50)
    assert named.model == str(MODEL)
    assert named.tag(texts) == penn.tag(texts)
    assert named.last_tags(texts, 2) == penn.last_tags(texts, 2)


def test_unknown_model() -> None:
    with pytest.raises(stela.StelaError) as caught:
        Penn(Penn.Parameters(model="en_core_web_smm"))
    assert caught.value.hint == 'did you mean "en_core_web_sm"?'
    if importlib.util.find_spec("en_core_web_md") is None:
        with pytest.raises(stela.StelaError, match="is not installed") as caught:
            Penn(Penn.Parameters(model="en_core_web_md"))
        assert caught.value.hint == "python -m spacy download en_core_web_md"


def test_models_that_cannot_tag(tmp_path: Path) -> None:
    import spacy

    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(stela.StelaError, match="has no tagger"):
        Penn(Penn.Parameters(model=str(tmp_path / "blank")))
    (tmp_path / "empty").mkdir()
    with pytest.raises(stela.StelaError, match="cannot read"):
        Penn(Penn.Parameters(model=str(tmp_path / "empty")))


def test_without_spacy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)  # import spacy -> ImportError
    assert not Penn.status().ok
    assert "pip install" in Penn.status().hint
    with pytest.raises(stela.MissingLibraryError, match="pip install"):
        Penn()


@pytest.mark.slow
def test_import_is_light() -> None:
    code = "import sys, stela_penn; print(sorted({'spacy', 'thinc', 'torch'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_tables_are_files_named_by_k(penn: Penn) -> None:
    assert all(path.name == f"k{k}.json" and path.is_file() for k, path in penn.tables().items())


def test_hook_registers_the_tagger() -> None:
    assert stela_penn.stela_register_taggers() is Penn
