from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_corpora.conllu import Sentence
from stela_tables.count import Tally
from stela_tables.counts import Ngram
from stela_tables.merge import merge
from stela_tables.table import table_bytes
from stela_tables.treebank import build_from_treebanks, count_sentences

from stela_core.errors import StelaError

from .ngrams import count, slow_lambda

NEW = "# newdoc"


def write(path: Path, *sentences: str) -> Path:
    """``NOUN VERB/VBZ`` as a sentence; ``NEW`` stands before the first of a document."""
    lines = []
    for sentence in sentences:
        if sentence == NEW:
            lines.append(NEW)
            continue
        for number, tag in enumerate(sentence.split(), start=1):
            upos, _, xpos = tag.partition("/")
            lines.append(f"{number}\tw\tw\t{upos}\t{xpos or '_'}\t_\t0\troot\t_\t_")
        lines.append("")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_counts_by_hand(tmp_path: Path) -> None:
    documents = (NEW, "DET NOUN PUNCT", "PRON VERB PUNCT", NEW, "NOUN PUNCT")
    built = build_from_treebanks([write(tmp_path / "a.conllu", *documents)], [1, 2, 4])
    [(name, two)] = built.tables[2].by_name().items()
    assert (name, two.documents, two.tags) == ("a", 2, 8)
    assert dict(two.counts) == {
        ("DET", "NOUN"): 1,
        ("NOUN", "PUNCT"): 2,
        ("PUNCT", "PRON"): 1,  # from one sentence to the next, not from one document to the next
        ("PRON", "VERB"): 1,
        ("VERB", "PUNCT"): 1,
    }
    assert dict(built.tables[1].by_name()["a"].counts) == {
        ("DET",): 1, ("NOUN",): 2, ("PRON",): 1, ("PUNCT",): 3, ("VERB",): 1
    }  # fmt: skip
    assert dict(built.tables[4].by_name()["a"].counts) == {
        ("DET", "NOUN", "PUNCT", "PRON"): 1,
        ("NOUN", "PUNCT", "PRON", "VERB"): 1,
        ("PUNCT", "PRON", "VERB", "PUNCT"): 1,
    }
    assert (built.bad, built.untagged) == ({"a": 0}, {"a": 0})


def test_lambda_by_hand(tmp_path: Path) -> None:
    """After DET three times NOUN, once ADJ: H(3/4, 1/4) / log 2 = 0.8113; after NOUN always DET."""
    file = write(tmp_path / "a.conllu", "DET NOUN DET NOUN DET NOUN DET ADJ")
    table = build_from_treebanks([file], [2]).tables[2]
    assert table.lookup(("DET",)) == pytest.approx(2 - 0.75 * math.log2(3))
    assert table.lookup(("NOUN",)) == 0.0
    assert table.mean_over_types == pytest.approx(0.8112781244591328 / 2)
    assert table.mean_over_tokens == pytest.approx(0.8112781244591328 * 4 / 7)


def test_a_file_without_newdoc_is_one_document(tmp_path: Path) -> None:
    table = build_from_treebanks([write(tmp_path / "a.conllu", "NOUN PUNCT", "VERB PUNCT")], [2]).tables[2]
    assert table.by_name()["a"] == (1, 4, {("NOUN", "PUNCT"): 1, ("PUNCT", "VERB"): 1, ("VERB", "PUNCT"): 1})


def test_words_without_a_tag_and_sentences_left_out_break_the_chain(tmp_path: Path) -> None:
    file = write(tmp_path / "a.conllu", "X/a X X/b X/c", "X/d", "X/", "X/e X/f", "X/g", "X/h")
    built = build_from_treebanks([file], [2], "xpos")
    expected = {("b", "c"): 1, ("c", "d"): 1, ("e", "f"): 1, ("f", "g"): 1, ("g", "h"): 1}
    assert built.tables[2].by_name()["a"] == (1, 8, expected)
    assert built.untagged == {"a": 2}
    file.write_text(file.read_text().replace("X\tg", "X g"))
    with pytest.raises(StelaError, match=r"a\.conllu:13 has 9 columns, not 10"):
        build_from_treebanks([file], [2], "xpos")
    left = build_from_treebanks([file], [2], "xpos", skip_bad=True)
    assert dict(left.tables[2].by_name()["a"].counts) == {("b", "c"): 1, ("c", "d"): 1, ("e", "f"): 1}
    assert left.bad == {"a": 1}


TAGS = st.lists(st.sampled_from("abc"), min_size=1, max_size=6)


@given(st.lists(st.lists(TAGS, min_size=1, max_size=4), min_size=1, max_size=4), st.integers(1, 4))
def test_as_if_each_document_were_one_line(documents: list[list[list[str]]], k: int) -> None:
    sentences = [Sentence(tags, n == 0) for document in documents for n, tags in enumerate(document)]
    counts: dict[int, Counter[Ngram]] = {length: Counter() for length in {k, 2}}
    tally = Tally(0, 0, counts)
    list(count_sentences(iter(sentences), tally))
    expected = count([list(chain.from_iterable(document)) for document in documents], k)
    assert (tally.documents, tally.tags) == (expected.documents, expected.tags)
    assert tally.counts[k] == expected.counts


def test_parts_of_a_ud_treebank_are_one_corpus_and_other_files_their_own(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    train = write(tmp_path / "en_x-ud-train.conllu", "NOUN VERB")
    dev = write(tmp_path / "en_x-ud-dev.conllu", "NOUN ADJ")
    one, two = write(tmp_path / "b.conllu", "NOUN NUM"), write(tmp_path / "sub" / "b.conllu", "NOUN X")
    table = build_from_treebanks([train, one, dev, two], [2]).tables[2]
    found = {name: (c.documents, sorted(c.counts)) for name, c in table.by_name().items()}
    assert found == {
        "b": (1, [("NOUN", "NUM")]),
        "b-2": (1, [("NOUN", "X")]),
        "en_x": (2, [("NOUN", "ADJ"), ("NOUN", "VERB")]),
    }
    corpora = {"b": [["NOUN", "NUM"]], "b-2": [["NOUN", "X"]], "x": [["NOUN", "VERB"], ["NOUN", "ADJ"]]}
    assert table.lookup(("NOUN",)) == pytest.approx(slow_lambda(corpora, 2, ("NOUN",)))
    apart = [build_from_treebanks([file], [2]).tables[2] for file in (train, dev)]
    assert table_bytes(merge(apart)) == table_bytes(build_from_treebanks([train, dev], [2]).tables[2])


def test_who_gave_the_tags(tmp_path: Path) -> None:
    english = write(tmp_path / "en_x-ud-dev.conllu", "NOUN/NN VERB/VB")
    korean = write(tmp_path / "ko_y-ud-dev.conllu", "NOUN/NNG VERB/VV")
    plain = write(tmp_path / "z.conllu", "NOUN/N VERB/V")

    def identity(files: Sequence[Path], column: str = "upos") -> tuple[str, ...]:
        return build_from_treebanks(files, [2], column).tables[2].tagger  # type: ignore[arg-type]

    universal = identity([english])
    assert (universal[0], universal[4], universal[5]) == ("treebank", "Universal Dependencies", "en")
    assert [identity(files)[5] for files in ([english, korean], [plain], [plain, korean])] == ["mul", "", ""]
    assert identity([korean])[:5] == universal[:5]
    own = identity([english], "xpos")
    assert own[4] == "XPOS of en_x"
    assert len({universal[3], own[3], identity([korean], "xpos")[3]}) == 3


def test_errors(tmp_path: Path) -> None:
    good = write(tmp_path / "good.conllu", "NOUN VERB")
    empty = write(tmp_path / "empty.conllu")
    untagged = write(tmp_path / "untagged.conllu", "_/NN _/VB")
    cases = [
        ([good, empty], "upos", r'"[^"]*empty\.conllu" holds no words'),
        ([good], "xpos", r'good\.conllu" has no XPOS: every word\'s is "_"\. hint: --column upos'),
        ([untagged], "upos", r'untagged\.conllu" has no UPOS: every word\'s is "_"\. hint: --column xpos'),
        ([good, tmp_path / "." / "good.conllu"], "upos", "is given twice"),
        ([good, tmp_path / "none"], "upos", r'none" does not exist'),
    ]
    for files, column, message in cases:
        with pytest.raises(StelaError, match=message):
            build_from_treebanks(files, [2], column)  # type: ignore[arg-type]
    with pytest.raises(StelaError, match="no document has 3 tags"):
        build_from_treebanks([good], [3])


def test_progress_counts_the_bytes_of_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stela_tables.treebank.SENTENCES", 2)
    files = [write(tmp_path / f"{name}.conllu", *["NOUN VERB"] * 5) for name in "ab"]
    steps: list[int] = []
    build_from_treebanks(files, [2], advance=steps.append)
    assert sum(steps) == sum(file.stat().st_size for file in files)
    assert len(steps) == 6
