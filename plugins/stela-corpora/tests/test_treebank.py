"""A treebank as raw text with tags: spacing, multi-word tokens, paragraphs."""

import lzma
from pathlib import Path
from random import Random

import pytest
from stela_corpora.treebank import join, pieces_to_train_on, read_documents

ROWS = [
    "# newdoc id = a",
    "1-2 don't _ _ _ _ _ _ _ _",
    "1 do _ AUX VBP _ 0 root _ _",
    "2 n't _ PART RB _ 1 dep _ _",
    "3 go _ VERB VB _ 1 dep _ SpaceAfter=No",
    "4 ! _ PUNCT . _ 1 dep _ _",
    "",
    "# newpar",
    "1 Yes _ INTJ UH _ 0 root _ _",
    "1.1 ghost _ VERB VB _ _ _ _ _",
    "",
    "# newdoc id = b",
    "1 End _ NOUN NN _ 0 root _ _",
    "",
]
TREEBANK = "\n".join(row if row.startswith("#") else row.replace(" ", "\t") for row in ROWS) + "\n"


@pytest.fixture(params=["t.conllu", "t.conllu.xz"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / request.param
    data = TREEBANK.encode()
    path.write_bytes(lzma.compress(data) if path.suffix == ".xz" else data)
    return path


def test_documents_words_and_spacing(file: Path) -> None:
    documents = read_documents(file, "upos")
    assert [len(document) for document in documents] == [2, 1]
    first, second = documents[0]
    assert first.text == "don't go! "
    assert first.tags == ["AUX", "PART", "VERB", "PUNCT"]
    assert (second.words, second.starts_paragraph) == (["Yes"], True)


def test_a_line_separator_is_no_end_of_a_line(tmp_path: Path) -> None:
    (tmp_path / "t.conllu").write_text(TREEBANK.replace("ghost", "g").replace("Yes", "Y\u2028s"), "utf-8")
    assert read_documents(tmp_path / "t.conllu", "upos")[0][1].words == ["Y\u2028s"]


def test_columns(file: Path) -> None:
    assert read_documents(file, "xpos")[0][0].tags == ["VBP", "RB", "VB", "."]
    assert read_documents(file, "both")[0][0].tags[0] == "AUX VBP"


def test_join_and_cut(file: Path) -> None:
    piece = join(read_documents(file, "upos")[0])
    assert piece.text == "don't go!\nYes"
    assert piece.tags == ["AUX", "PART", "VERB", "PUNCT", "", "INTJ"]
    assert piece.cut(3).text == "don't go"


def test_pieces_hold_every_sentence_once(file: Path) -> None:
    documents = read_documents(file, "upos") * 20
    words = [word for piece in pieces_to_train_on(documents, Random(1), 0.0) for word in piece.words]
    assert [word for word in words if word != "\n"] == ["do", "n't", "go", "!", "Yes", "End"] * 20
    again = [piece.text for piece in pieces_to_train_on(documents, Random(1), 0.5)]
    assert again == [piece.text for piece in pieces_to_train_on(documents, Random(1), 0.5)]
    assert sum(map(len, again)) < sum(len(p.text) for p in pieces_to_train_on(documents, Random(1), 0.0))
