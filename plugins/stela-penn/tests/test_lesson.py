"""What the causal tagger is taught: Penn tags word by word, and words that two taggers agree on."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import stela_core as stela

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))
from causal_lesson import gold, silver

TREEBANK = """# newdoc id = a
1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tdo\t_\tAUX\tVBP\t_\t0\t_\t_\t_
2\tn't\t_\tPART\tRB\t_\t0\t_\t_\t_
3\tgo\t_\tVERB\tVB\t_\t0\t_\t_\tSpaceAfter=No
4\t.\t_\tPUNCT\t.\t_\t0\t_\t_\tSpaceAfter=No

# newpar
1\tYes\t_\tINTJ\tUH\t_\t0\t_\t_\tSpaceAfter=No

1\tNo\t_\tINTJ\tUH\t_\t0\t_\t_\tSpaceAfter=No

"""


def test_words_that_are_written_as_one_have_a_tag_each(tmp_path: Path) -> None:
    file = tmp_path / "t.conllu"
    file.write_text(TREEBANK, encoding="utf-8")
    first, second, third = gold(file)
    assert first.text == "don't go."
    assert [(first.text[a:b], tag) for a, b, tag in first.words] == [
        ("do", "VBP"),
        ("n't", "RB"),
        ("go", "VB"),
        (".", "."),
    ]
    # A paragraph ends after the first, and a document after the last.
    assert [one.spaced for one in (first, second, third)] == [True, False, True]


class Fixed:
    """A tagger that says the same of each text."""

    def __init__(self, *tags: stela.Tag) -> None:
        self._tags = list(tags)

    def tag(self, texts: Sequence[str]) -> list[list[stela.Tag]]:
        return [self._tags for _ in texts]


def test_a_silver_word_has_a_tag_where_both_agree_on_place_and_tag(tmp_path: Path) -> None:
    file = tmp_path / "d.jsonl.gz"
    with gzip.open(file, "wt", encoding="utf-8") as lines:
        lines.write(json.dumps({"text": "Red cats sleep\n\n Red cats sleep "}) + "\n")
    one = Fixed(stela.Tag("JJ", 0, 3), stela.Tag("NNS", 4, 8), stela.Tag("VBP", 9, 14))
    two = Fixed(stela.Tag("NNP", 0, 3), stela.Tag("NNS", 4, 8), stela.Tag("VBP", 9, 13))
    made = silver([file], cast(Any, one), cast(Any, two), 100)
    assert [sentence.text for sentence in made] == ["Red cats sleep"] * 2
    assert [tuple(word) for word in made[0].words] == [(0, 3, ""), (4, 8, "NNS"), (9, 14, "")]
    assert len(silver([file], cast(Any, one), cast(Any, two), 2)) == 1
