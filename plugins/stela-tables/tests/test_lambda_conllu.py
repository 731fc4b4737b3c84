"""Tables of treebanks by the command line: build, show, and profiles for taggers of the same tags."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stela_tables.file import read_table
from stela_testing import run_cli

from tests.helpers import new_keys_are

TAGGERS = Path(__file__).with_name("treebank_taggers.py")

SENTENCE = [("DET", "DT"), ("NOUN", "NN"), ("VERB", "VBD"), ("DET", "DT"), ("ADJ", "JJ"), ("PUNCT", ".")]


def lines_of(tags: list[tuple[str, str]]) -> str:
    words = [f"{i}\tw\tw\t{u}\t{x}\t_\t0\troot\t_\t_\n" for i, (u, x) in enumerate(tags, start=1)]
    return "".join(words) + "\n"


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    file = tmp_path / "en_x-ud-train.conllu"
    file.write_text(lines_of(SENTENCE) * 2, encoding="utf-8")
    return file


def test_build_and_show(tmp_path: Path, treebank: Path) -> None:
    """After DET once NOUN, once ADJ, twice each: lambda 1; every other tag has one successor: 0."""
    table = tmp_path / "t.json"
    built = run_cli("lambda", "build", "--conllu", treebank, "--k", 2, "-o", table)
    assert (built.status, built.err) == (0, "")
    assert built.out.splitlines()[:2] == [
        f"{table}: 5 contexts of k = 2, 12 tags in 1 documents",
        # 11 bigrams, 4 of them after DET.
        f"mean over types {1 / 5:.4f}, over tokens {4 / 11:.4f}",
    ]
    [shown] = run_cli("lambda", "show", table, "--json", "--top", 1).json
    assert shown["top"] == [{"context": ["DET"], "lambda": 1.0, "count": 4}]
    assert (shown["tagger"]["name"], shown["tagger"]["tagset"]) == ("treebank", "Universal Dependencies")
    text = run_cli("lambda", "show", table).out
    assert "a treebank's own tags, CoNLL-U UPOS" in text
    assert "Universal Dependencies" in text
    build = ("lambda", "build", "--conllu", treebank, "--column", "xpos", "--k", 2, "-o", table)
    assert run_cli(*build).status == 2, "not over the first one unasked"
    own = run_cli(*build, "--force")
    assert own.status == 0
    assert read_table(table).tags == (".", "DT", "JJ", "NN", "VBD")
    assert "XPOS of en_x" in run_cli("lambda", "show", table).out


def test_what_was_left_out_is_told(tmp_path: Path, treebank: Path) -> None:
    bad = lines_of(SENTENCE).replace("\tNOUN", " NOUN") + lines_of([("_", "X"), ("NOUN", "X"), ("_", "X")])
    treebank.write_text(lines_of(SENTENCE) + bad, encoding="utf-8")
    build = ("lambda", "build", "--conllu", treebank, "--k", 2, "-o", tmp_path / "t.json")
    refused = run_cli(*build)
    assert refused.status == 2
    assert refused.err.startswith(f"error: {treebank}:9 has 9 columns, not 10")
    assert len(refused.err.splitlines()) == 1
    assert not (tmp_path / "t.json").exists()
    done = run_cli(*build, "--skip-bad")
    assert done.status == 0
    assert done.err.splitlines() == [
        "note: left out 1 bad sentence of en_x",
        "note: left out 2 untagged words of en_x",
    ]


@pytest.mark.slow
def test_options_that_do_not_go_together(tmp_path: Path, treebank: Path) -> None:
    text = tmp_path / "c.jsonl"
    text.write_text(json.dumps({"text": "a b c"}) + "\n")
    cases: list[tuple[tuple[object, ...], str]] = [
        (("--conllu", treebank, "--tagger", "sejong"), "no --tagger, no --corpus"),
        (("--conllu", treebank, "--corpus", text), "no --tagger, no --corpus"),
        (("--tagger", "sejong"), "missing option --corpus."),
        (("--corpus", text), "missing option --tagger."),
        ((), "missing option --tagger and --corpus, or --conllu."),
        (("--tagger", "sejong", "--corpus", text, "--column", "upos"), "--column goes with --conllu"),
        (("--conllu", treebank, "--documents", 3), "--documents goes with --corpus"),
        (("--conllu", treebank, "--text-column", "x"), "--text-column goes with --corpus"),
        (("--conllu", treebank, "--seed", 0), "--seed goes with --corpus"),
        (("--conllu", text), f"{text}:1 has 1 column, not 10"),
        (("--conllu", tmp_path), "is a folder"),
        (("--conllu", treebank, "--column", "lemma"), "'lemma' is not one of 'upos', 'xpos'"),
    ]
    for options, message in cases:
        refused = run_cli("lambda", "build", *options, "--k", 2, "-o", tmp_path / "t.json")
        assert (refused.status, refused.out) == (2, ""), options
        [line] = refused.err.splitlines()
        assert message in line


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tagger", "column", "message"),
    [
        ("universal", "upos", "note: the table holds a treebank's tags, not this tagger's"),
        ("letters-of-case", "upos", 'error: wrong table: it holds universal tags (UPOS), tagger "letters-'),
        (
            "universal",
            "xpos",
            'error: wrong table: it holds the XPOS of en_x, and tagger "universal" ships no',
        ),
        (
            "penn-like",
            "xpos",
            'note: the table holds the XPOS of en_x; by name tagger "penn-like" has all of',
        ),
        (
            "penn-poor",
            "xpos",
            'error: wrong table: tagger "penn-poor" knows the tags of only 67% of its words',
        ),
    ],
)
def test_profile_with_a_treebank_s_table(
    tmp_path: Path, treebank: Path, tagger: str, column: str, message: str
) -> None:
    table = tmp_path / "t.json"
    assert (
        run_cli("lambda", "build", "--conllu", treebank, "--column", column, "--k", 1, "-o", table).status
        == 0
    )
    new = ("profile", "new", "--plugin", TAGGERS, "--scheme", "stela", "--tagger", tagger, "--model", "tiny")
    made = run_cli(*new, "--lambda", table, "--public-key", "-o", tmp_path / "p.stela")
    assert made.err.startswith(message)
    assert made.status == (0 if message.startswith("note") else 2)
    assert len(made.err.splitlines()) == 1


@pytest.mark.slow
def test_mark_and_find_with_a_treebank_s_table(
    tmp_path: Path, treebank: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_keys_are(monkeypatch, 0x5EED)
    table, profile, out = tmp_path / "t.json", tmp_path / "p.stela", tmp_path / "out.jsonl"
    treebank.write_text(lines_of(SENTENCE) + lines_of(SENTENCE[3:]) + lines_of(SENTENCE[::-1]))
    assert run_cli("lambda", "build", "--conllu", treebank, "--k", 2, "-o", table).status == 0
    plugin = ("--plugin", TAGGERS)
    new = (
        "profile",
        "new",
        "--scheme",
        "stela",
        "--tagger",
        "universal",
        "--lambda",
        table,
        "--model",
        "tiny",
    )
    assert run_cli(*plugin, *new, "--delta", 4, "--public-key", "-o", profile).status == 0
    length = ("--max-new-tokens", 80, "--seed", 1)
    generate = ("generate", "--profile", profile, "--model", "tiny", "--prompt", "The history", *length)
    assert run_cli(*plugin, *generate, "--json", "-o", out).status == 0
    text = json.loads(out.read_text(encoding="utf-8"))
    (tmp_path / "t.txt").write_text(text["text"], encoding="utf-8")
    [found] = run_cli(*plugin, "detect", "--profile", profile, tmp_path / "t.txt", "--json").json
    assert found["verdict"] == "watermarked"


def test_table_of_another_language_is_remarked_on(tmp_path: Path, treebank: Path) -> None:
    korean = treebank.rename(tmp_path / "ko_x-ud-dev.conllu")
    table = tmp_path / "t.json"
    assert run_cli("lambda", "build", "--conllu", korean, "--k", 2, "-o", table).status == 0
    new = ("profile", "new", "--plugin", TAGGERS, "--scheme", "stela", "--tagger", "universal")
    made = run_cli(*new, "--model", "tiny", "--lambda", table, "--public-key", "-o", tmp_path / "p.stela")
    assert made.status == 0
    assert 'note: the table\'s language is "ko", not "en"' in made.err.splitlines()
