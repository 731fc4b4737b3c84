from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st
from stela_corpora.conllu import UNIVERSAL, Column, ConlluFile
from stela_corpora.conllu_lines import read_conllu

from stela_core.errors import StelaError


def word(number: object, upos: str = "NOUN", xpos: str = "NN") -> str:
    return "\t".join([str(number), "w", "w", upos, xpos, "_", "0", "root", "_", "_"])


TREEBANK = "\n".join(
    [
        "# newdoc id = one",
        "# sent_id = 1",
        "1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_",
        word(1, "ADP", "IN"),
        word(2, "DET", "DT"),
        word(3, "NOUN", "_"),
        "3.1" + word(4, "VERB", "VB")[1:],
        word(4, "PUNCT", "."),
        "",
        "# sent_id = 2",
        word(1, "X", "FW"),
        "",
        "# newdoc",
        "# newpar",
        word(1, "INTJ", "UH"),
        "",
        "",
    ]
)
UPOS = [(["ADP", "DET", "NOUN", "PUNCT"], True), (["X"], False), (["INTJ"], True)]
XPOS = [(["IN", "DT", None, "."], True), (["FW"], False), (["UH"], True)]


@pytest.mark.parametrize("compress", [bytes, gzip.compress, lzma.compress, zstandard.compress])
def test_tags_of_each_sentence(tmp_path: Path, compress: object) -> None:
    assert callable(compress)
    file = tmp_path / "t.conllu"
    file.write_bytes(compress(TREEBANK.encode()))
    assert list(ConlluFile(file)) == UPOS
    own = ConlluFile(file, "xpos")
    assert list(own) == XPOS
    assert (own.untagged, own.bad, own.file.position) == (1, 0, file.stat().st_size)


@pytest.mark.parametrize(
    "data",
    [
        TREEBANK.replace("\n", "\r\n"),
        "\ufeff" + TREEBANK,
        TREEBANK.rstrip(),  # the last blank line is missing
        TREEBANK.replace("\n\n", "\n \n\n"),
        TREEBANK.replace("# newdoc", "#newdoc"),
    ],
    ids=["CRLF", "byte order mark", "no end", "white space", "no space"],
)
def test_habits_of_files(tmp_path: Path, data: str) -> None:
    file = tmp_path / "t.conllu"
    file.write_bytes(data.encode())
    assert list(ConlluFile(file)) == UPOS


FORMS = st.text(st.characters(codec="utf-8", exclude_characters="\t\n"), min_size=1)


@given(st.lists(st.lists(FORMS, min_size=1, max_size=4), min_size=1, max_size=4))
@example([["a\u2028b", "\x85", "\x0b\x0c\x1c\x1d\x1e\u2029", "\r"]])
def test_rows_of_each_sentence(tmp_path_factory: pytest.TempPathFactory, sentences: list[list[str]]) -> None:
    """Whatever a form holds, only a line feed ends a line."""
    file = tmp_path_factory.mktemp("forms") / "t.conllu"
    rows = [
        [[str(n), form, *"_____", str(n), "_", "_"] for n, form in enumerate(forms, start=1)]
        for forms in sentences
    ]
    text = "\n".join("# newpar\n" + "".join("\t".join(row) + "\n" for row in block) for block in rows)
    file.write_bytes(text.encode())
    blocks = list(read_conllu(file))
    assert [block.kept for block in blocks] == rows
    assert {block[1:] for block in blocks} == {(False, True, False)}


def test_rows_hold_ranges_and_empty_nodes(tmp_path: Path) -> None:
    file = tmp_path / "t.conllu"
    file.write_text(TREEBANK, encoding="utf-8")
    first, second, third = read_conllu(file)
    assert [row[0] for row in first.kept] == ["1-2", "1", "2", "3", "3.1", "4"]
    assert [block[1:] for block in (first, second, third)] == [
        (True, False, False),
        (False, False, False),
        (True, True, False),
    ]
    file.write_text(TREEBANK + word(2), encoding="utf-8")
    with pytest.raises(StelaError, match=r"t\.conllu:17 has ID 2 where 1 is next"):
        list(read_conllu(file))


BAD: dict[str, bytes] = {
    "has 1 column, not 10": b"a line of text",
    "has 9 columns, not 10": b"2\tw\tw\tNOUN\tNN\t_\t0\troot\t_",
    'has ID "x", which is not a number': word("x").encode(),
    'has ID "0"': word(0).encode(),
    "has ID 3 where 2 is next": word(3).encode(),
    "has ID 1 where 2 is next: the blank line before it is missing": word(1).encode(),
    "is a comment within a sentence": b"# sent_id = 3",
    "is not UTF-8 (byte 0xff at 2)": b"2\t\xff" + word(2)[3:].encode(),
    "has an empty UPOS": word(2, "").encode(),
    'has UPOS "NN", not one of the 17 universal tags': word(2, "NN").encode(),
}


@pytest.mark.parametrize("message", BAD)
def test_a_bad_line_is_named_and_its_sentence_left_out(tmp_path: Path, message: str) -> None:
    file = tmp_path / "t.conllu"
    good = word(1, "VERB", "VB")
    parts = [f"{good}\n\n# newdoc\n{word(1)}\n".encode(), BAD[message], f"\nrest\n\n{good}\n\n".encode()]
    file.write_bytes(b"".join(parts))
    with pytest.raises(StelaError) as error:
        list(ConlluFile(file))
    assert error.value.message.startswith(f"{file}:5 {message}")
    assert "--skip-bad" in error.value.hint
    skipping = ConlluFile(file, skip_bad=True)
    assert list(skipping) == [(["VERB"], False), ([None], True), (["VERB"], False)]
    assert skipping.bad == 1


def test_own_tags_are_taken_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "t.conllu"
    file.write_text(word(1, "NONE", "NNG+JKS") + "\n\n", encoding="utf-8")
    assert list(ConlluFile(file, "xpos")) == [(["NNG+JKS"], False)]


@pytest.mark.parametrize("column", ["upos", "xpos"])
def test_missing_and_corrupt_files(tmp_path: Path, column: Column) -> None:
    with pytest.raises(StelaError, match=r'treebank ".*none" does not exist'):
        list(ConlluFile(tmp_path / "none", column))
    with pytest.raises(StelaError, match=r"treebank .* is a folder.* give a \.conllu file"):
        _ = ConlluFile(tmp_path, column).file.size
    cut = tmp_path / "t.conllu.gz"
    cut.write_bytes(gzip.compress(TREEBANK.encode())[:-9])
    with pytest.raises(StelaError, match="corrupt or truncated"):
        list(ConlluFile(cut, column))


@pytest.mark.parametrize(
    ("file", "name", "language"),
    [
        ("en_ewt-ud-train.conllu.xz", "en_ewt", "en"),
        ("cs_pdt-ud-train-l-1.conllu", "cs_pdt", "cs"),
        ("yue_hk-ud-test.conllu.gz", "yue_hk", "yue"),
        ("my_corpus.conllu", "my_corpus", ""),
        ("ko_gsd2018-train.conllu.xz", "ko_gsd2018-train", ""),
        ("a-ud-testing.conllu", "a-ud-testing", ""),
    ],
)
def test_names(file: str, name: str, language: str) -> None:
    found = ConlluFile(file)
    assert (found.name, found.language, found.has_parts) == (name, language, bool(language))


def test_universal_tags() -> None:
    """The 17 of https://universaldependencies.org/u/pos/index.html."""
    listed = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
    assert set(listed.split()) == UNIVERSAL
