"""Reading treebanks, mapping tags, describing raw text, and training, in small."""

from __future__ import annotations

import gzip
import json
import lzma
import subprocess
import sys
from pathlib import Path
from runpy import run_path

import numpy as np
import pytest
from ctb_tags import Word, to_ctb
from ctb_texts import SENTENCES
from ctb_treebank import read_sentences
from raw_text import describe

pytestmark = pytest.mark.slow

SCRIPTS = Path(__file__).parents[1] / "scripts"

# Word, UPOS, XPOS, relation, tag; heads are all the root but where a case says otherwise.
CASES = [
    ("，", "PUNCT", ",", "punct", "PU"),
    ("%", "SYM", "NN", "dep", "PU"),
    ("北京", "PROPN", "NNP", "nsubj", "NR"),
    ("等", "PART", "SFN", "conj", "ETC"),
    ("等等", "PRON", "PRD", "conj", "ETC"),
    ("最后", "NOUN", "NN", "nmod:tmod", "NT"),
    ("目前", "NOUN", "NN", "nmod", "NT"),
    ("意见", "NOUN", "NN", "obj", "NN"),
    ("个", "NOUN", "NNB", "clf", "M"),
    ("性", "PART", "SFN", "case", "NN"),
    ("化", "PART", "SFV", "case", "VV"),
    ("副", "PART", "PFA", "case", "JJ"),
    ("第一", "NUM", "CD", "nummod", "OD"),
    ("三", "NUM", "CD", "nummod", "CD"),
    ("我", "PRON", "PRP", "nsubj", "PN"),
    ("谁", "PRON", "WP", "nsubj", "PN"),
    ("这", "PRON", "PRD", "nsubj", "PN"),
    ("这", "DET", "DT", "det", "DT"),
    ("了", "AUX", "AS", "aux", "AS"),
    ("吗", "PART", "UH", "discourse", "SP"),
    ("CNN", "X", "FW", "nsubj", "FW"),
    ("和", "CCONJ", "CC", "cc", "CC"),
    ("可以", "AUX", "MD", "aux", "VV"),
    ("是", "AUX", "VC", "cop", "VC"),
    ("有", "VERB", "VV", "root", "VE"),
    ("提供", "VERB", "VV", "root", "VV"),
    ("的", "PART", "DEC", "case", "DEG"),
    ("的", "PART", "DEC", "case:dec", "DEG"),
    ("的", "SCONJ", "DEC", "mark:rel", "DEC"),
    ("的", "PART", "DEC", "acl:relcl", "DEC"),
    ("地", "SCONJ", "DEV", "mark:adv", "DEV"),
    ("得", "PART", "DEV", "compound:ext", "DER"),
    ("将", "ADP", "BB", "case", "BA"),
    ("所", "SCONJ", "RB", "mark", "MSP"),
    ("并", "SCONJ", "RB", "mark", "CC"),
    ("虽然", "SCONJ", "RB", "mark", "CS"),
    ("也", "SCONJ", "RB", "mark", "AD"),
    ("因为", "ADP", "IN", "mark", "CS"),
    ("之后", "ADP", "IN", "case", "LC"),
    ("从", "ADP", "IN", "case", "P"),
    ("一些", "ADJ", "JJ", "amod", "CD"),
    ("重要", "ADJ", "JJ", "amod", "JJ"),
    ("一般", "ADJ", "JJ", "advmod", "AD"),
    ("年轻", "ADJ", "JJ", "root", "VA"),
]


@pytest.mark.parametrize(("form", "upos", "xpos", "relation", "tag"), CASES)
def test_tags_of_words(form: str, upos: str, xpos: str, relation: str, tag: str) -> None:
    assert to_ctb([Word(form, upos, xpos, 0, relation)]) == [tag]


@pytest.mark.parametrize(
    ("number", "unit", "tag"),
    [("1998", "年", "NT"), ("三", "年", "M"), ("20", "年", "M"), ("3", "月", "NT"), ("一九九八", "年", "NT")],
)
def test_years_of_dates_and_years_that_are_counted(number: str, unit: str, tag: str) -> None:
    words = [Word(number, "NUM", "CD", 2, "nummod"), Word(unit, "NOUN", "NNB", 0, "clf")]
    assert to_ctb(words) == ["CD", tag]


@pytest.mark.parametrize(("agent", "tag"), [("nsubj", "LB"), ("advmod", "SB")])
def test_passive_with_and_without_agent(agent: str, tag: str) -> None:
    words = [
        Word("被", "AUX", "BB", 3, "aux:pass"),
        Word("他", "PRON", "PRP", 3, agent),
        Word("看见", "VERB", "VV", 0, "root"),
    ]
    assert to_ctb(words)[0] == tag


def row(number: int, form: str, upos: str, xpos: str, relation: str, misc: str = "SpaceAfter=No") -> str:
    return "\t".join([str(number), form, "_", upos, xpos, "_", "0", relation, "_", misc])


CONLLU = "\n".join(
    [
        "# text = New York的书。",
        row(1, "New", "X", "FW", "nmod", "_"),
        row(2, "York", "X", "FW", "flat"),
        row(3, "的", "PART", "DEC", "case"),
        row(4, "书", "NOUN", "NN", "root"),
        row(5, "。", "PUNCT", ".", "punct", "_"),
        "",
        row(1, "好", "ADJ", "JJ", "root"),
        "",
        "",
    ]
)


@pytest.mark.parametrize("name", ["a.conllu", "a.conllu.xz"])
def test_treebank_is_read_with_its_blanks(tmp_path: Path, name: str) -> None:
    data = CONLLU.replace("书\t", "书\u2028\t").encode()
    (tmp_path / name).write_bytes(lzma.compress(data) if name.endswith("xz") else data)
    first, second = read_sentences(tmp_path / name)
    assert first.text == "New York的书\u2028。"
    assert first.tags == ["FW", "FW", "DEG", "NN", "PU"]
    assert [first.text[a:b] for a, b in first.spans] == first.words
    assert second.tags == ["VA"]


def test_raw_text_tells_words_from_seams() -> None:
    """文字 is always together, and any of four characters stands on either side of it."""
    chance = np.random.default_rng(0)
    text = "".join("甲乙丙丁"[i] + "文字" for i in chance.integers(0, 4, 300))
    start = describe(text, min_char=1, min_pair=1, char_width=2, pair_width=6)
    assert start.chars[6:] == sorted("甲乙丙丁文字")
    assert len(start.char_vectors) == 6
    rows = dict(zip(start.pairs[2:], start.pair_vectors[:, -4:], strict=True))
    assert set(rows) == {"文字", *(a + "文" for a in "甲乙丙丁"), *("字" + a for a in "甲乙丙丁")}
    frequency, _, right, left = rows["文字"]
    assert all(frequency > other[0] for pair, other in rows.items() if pair != "文字")
    # Four characters may follow 文字, one follows 甲文; four stand before 文字, one before 字甲.
    assert right > rows["甲文"][2]
    assert left > rows["字甲"][3]


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sentences of these tests, each character a word, with two tags."""
    folder = tmp_path_factory.mktemp("treebank")
    blocks = []
    for sentence in SENTENCES:
        chars = sentence.replace(" ", "")
        rows = [
            row(i, c, *(("PUNCT", ",", "punct") if not c.isalnum() else ("NOUN", "NN", "dep")))
            for i, c in enumerate(chars, 1)
        ]
        blocks.append("\n".join(rows))
    (folder / "all.conllu").write_text("\n\n".join(blocks) + "\n", encoding="utf-8")
    with gzip.open(folder / "raw.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(json.dumps({"text": "\n".join(SENTENCES * 5)}) + "\n")
    return folder


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("part", ["tok", "pos"])
def test_a_few_steps_teach_both_networks(treebank: Path, part: str, causal: bool) -> None:
    script = run_path(str(SCRIPTS / "train.py"))  # not imported: other plugins have a train, too
    sentences = read_sentences(treebank / "all.conllu")
    tags = sorted({tag for sentence in sentences for tag in sentence.tags})
    start = describe("\n".join(sentence.text for sentence in sentences), 1, 2, 8, 8)
    shapes = script["CAUSAL_SHAPES" if causal else "SHAPES"]
    small = {"width": 16, "char_width": 8, "pair_width": 8, "min_pair": 2, "dropout": 0.0, "epochs": 60}
    losses: list[float] = []
    script["make"](
        part, shapes[part] | small, start, tags, sentences, lambda *said: losses.append(said[2]), causal
    )
    assert len(losses) == 60
    assert losses[-1] < 0.8 * losses[0]


@pytest.mark.deep(stand_in="test_a_few_steps_teach_both_networks")
@pytest.mark.parametrize("causal", [False, True])
def test_training_makes_a_pair_that_tags_and_the_same_one_again(treebank: Path, causal: bool) -> None:
    from stela_causal.word_files import read_model
    from stela_causal.words import CausalWords
    from stela_ctb import Ctb

    made = [treebank / f"{name}-{causal}" for name in ("one", "two")]
    words = [f"--{part}={treebank / 'all.conllu'}" for part in ("treebank", "dev", "test")]
    words += [f"--raw={treebank / 'raw.jsonl.gz'}", *["--causal"][:causal]]
    settings = ("width=16", "char_width=8", "pair_width=8", "min_pair=2", "dropout=0.0", "epochs=90")
    words += [f"--set={setting}" for setting in settings]
    # In a process of its own, as it sets torch's threads.
    calls = [f"train.main({[*words, f'--out={folder}/model']!r})" for folder in map(str, made)]
    code = "; ".join(["import train", *calls])
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=SCRIPTS, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    record = json.loads(
        (made[0] / ("training-causal.json" if causal else "training.json")).read_text(encoding="utf-8")
    )
    assert record["figures"]["segmentation_f1_test"] > 0.9
    assert record["figures"]["accuracy_gold_words_test"] > (0.85 if causal else 0.9)
    if causal:
        files = [sorted(path.read_bytes() for path in (folder / "model").rglob("*.*")) for folder in made]
        assert files[0] == files[1]
        one: Ctb | CausalWords = CausalWords(read_model(made[0] / "model/model"))
    else:
        one, two = (Ctb(Ctb.Parameters(model=str(folder / "model"))) for folder in made)
        assert one.fingerprint == two.fingerprint
    assert [(tag.start, tag.end) for tag in one.tag(["我们去学校"])[0]] == [(i, i + 1) for i in range(5)]
