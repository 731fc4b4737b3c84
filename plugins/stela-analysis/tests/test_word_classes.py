"""The table of word classes, and where a token's word is looked up."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from stela_analysis.token_classes import classes_at, token_starts
from stela_analysis.word_classes import CLASSES, TAGSETS, classes_of
from stela_tables.file import read_table

import stela_core as stela
from stela_core.api import TokenBytes, make_tagger

PLUGINS = Path(__file__).parents[2]
TABLES = sorted(PLUGINS.glob("stela-*/stela_*/tables/**/*.json"))


def test_there_are_tables_of_all_four_sets() -> None:
    assert {path.parts[len(PLUGINS.parts)] for path in TABLES} >= {
        "stela-penn",
        "stela-ctb",
        "stela-sejong",
        "stela-ud",
    }


@pytest.mark.parametrize(
    "path",
    [*TABLES[::6], *(pytest.param(path, marks=pytest.mark.slow) for n, path in enumerate(TABLES) if n % 6)],
    ids=lambda p: "-".join(p.parts[-3:]),
)
def test_every_tag_of_the_shipped_tables_has_a_class(path: Path, registry: stela.Registry) -> None:
    table = read_table(path)
    tagset = registry.get(stela.Tagger, table.tagger.name).tagset
    assert set(table.tags) - set(classes_of(tagset)) == set()


@pytest.mark.parametrize("tagset", TAGSETS)
def test_each_tag_stands_once(tagset: str) -> None:
    tags = Counter(tag for name in CLASSES for tag in TAGSETS[tagset][name].split())
    assert tags.most_common(1)[0][1] == 1


def test_universal_tags_are_all_seventeen() -> None:
    """universaldependencies.org/u/pos, version 2; spaCy adds SPACE."""
    listed = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
    assert set(classes_of("Universal Dependencies")) == {*listed.split(), "SPACE"}


def test_penn_and_chinese_treebank_tags_are_all_there() -> None:
    """The 36 words' tags of Marcus et al. (1993, table 2), and the 33 of Xia (2000, table 1)."""
    words = (
        "CC CD DT EX FW IN JJ JJR JJS LS MD NN NNS NNP NNPS PDT POS PRP PRP$ RB RBR RBS RP SYM TO UH VB "
        "VBD VBG VBN VBP VBZ WDT WP WP$ WRB"
    )
    chinese = (
        "AD AS BA CC CD CS DEC DEG DER DEV DT ETC FW IJ JJ LB LC M MSP NN NR NT OD ON P PN PU SB SP VA VC "
        "VE VV"
    )
    penn, ctb = set(words.split()), set(chinese.split())
    assert (len(penn), len(ctb)) == (36, 33)
    assert penn <= set(classes_of("Penn Treebank"))
    assert ctb <= set(classes_of("Penn Chinese Treebank"))


def test_unknown_tag_set() -> None:
    with pytest.raises(stela.StelaError, match='tag set "Brown"'):
        classes_of("Brown")


GA = "가".encode()
PIECES = [
    b"The",
    b"  c",
    b"at",
    b" ",
    GA[:2],
    GA[2:],
    b" " + GA[:1],
    GA[1:] + b"\n",
    b"\n",
    "나".encode()[:1],
]


def test_starts_skip_white_space_and_parts_of_characters() -> None:
    """The text is "The  cat 가 가\\n\\n"; a token of a space and a third of 가 belongs to 가."""
    tokens = TokenBytes(PIECES, frozenset())
    text, starts = token_starts(range(len(PIECES)), tokens)
    assert text == "The  cat 가 가\n\n"
    assert starts == [0, 5, 6, 8, 9, 9, 11, 11, 13, 14]


def test_classes_of_characters() -> None:
    """Tokens within a word share its class; gaps and what no tag covers are other."""
    tags = [stela.Tag("DT", 0, 3), stela.Tag("NN", 4, 7), stela.Tag(".", 7, 8), stela.Tag("XYZ", 9, 10)]
    word_classes = classes_at([0, 2, 3, 4, 6, 7, 8, 9, 30], tags, classes_of("Penn Treebank"))
    assert word_classes == ["function", "function", "other", "content", "content", *["other"] * 4]
    assert classes_at([0], [], {}) == ["other"]


@pytest.mark.slow
def test_first_of_merged_morphemes_counts(registry: stela.Registry) -> None:
    """In 갔다 stem and past tense share a syllable: it is content; the ending after it is not."""
    text = "나는 학교에 갔다."
    [tags] = make_tagger(registry, "sejong").tag([text])
    merged = [tag.tag for tag in tags if tag.start == text.index("갔")]
    assert merged == ["VV", "EP"]
    word_classes = classes_at(range(len(text)), tags, classes_of("Sejong"))
    by_character = dict(zip(text.replace(" ", "_"), word_classes, strict=True))
    assert by_character == {
        "나": "function",
        "는": "function",
        "_": "other",
        "학": "content",
        "교": "content",
        "에": "function",
        "갔": "content",
        "다": "function",
        ".": "other",
    }


@pytest.mark.parametrize(
    ("tagger", "auxiliary"),
    [("penn", "content"), pytest.param("ud-spacy", "function", marks=pytest.mark.slow)],
)
def test_taggers_of_one_language_differ_in_auxiliaries(
    registry: stela.Registry, tagger: str, auxiliary: str
) -> None:
    """Penn's VBP does not say that this "have" is one."""
    text = "The sisters of the town have opened 2 schools quickly ."
    made = make_tagger(registry, tagger)
    [tags] = made.tag([text])
    words = text.split()
    starts = [0]
    for word in words[:-1]:
        starts.append(starts[-1] + len(word) + 1)
    expected = {
        "The": "function",
        "sisters": "content",
        "of": "function",
        "the": "function",
        "town": "content",
        "have": auxiliary,
        "opened": "content",
        "2": "other",
        "schools": "content",
        "quickly": "content",
        ".": "other",
    }
    assert dict(zip(words, classes_at(starts, tags, classes_of(made.tagset)), strict=True)) == expected
