"""Compare ``penn:causal`` with ``penn`` on EWT's dev or test part: words of texts, and ends of prefixes.

    python scripts/measure.py --test en_ewt-ud-test.conllu.xz [--taggers penn penn:causal]

Prefixes are cut at random characters, 200 of each text of 20 sentences. Shares have 95 % intervals by
bootstrap over the texts; differences are those to the first tagger on the same prefixes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from causal_lesson import gold
from stela_language.measuring import QUESTIONS, Prefixes, measure, measure_prefixes, share_of

import stela_core as stela
from stela_core.api import make_tagger

EACH, SEED = 200, 0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--test", type=Path, required=True, help="treebank, .conllu or .conllu.xz")
    parser.add_argument("--taggers", nargs="+", default=["penn", "penn:causal"])
    given = parser.parse_args()
    registry = stela.create_registry()
    sentences = gold(given.test)
    first: Prefixes | None = None
    for spec in given.taggers:
        tagger = make_tagger(registry, spec)
        words = measure(tagger, sentences)
        print(
            f"{spec}: {words.words} words, boundaries F1 {words.boundaries:.4f}, tags {words.tags:.4f}, "
            f"both F1 {words.both:.4f}, {words.words_per_second:,.0f} words/s"
        )
        made = measure_prefixes(tagger, sentences, EACH, SEED)
        first = first or made
        for name, chosen in (
            ("all", np.full(len(made.inside), True)),
            ("within a word", made.inside),
            ("after a word", ~made.inside),
        ):
            for at, question in enumerate(QUESTIONS):
                right, texts = made.right[chosen, at], made.texts[chosen]
                share, low, high = share_of(right, texts)
                line = f"  {name}, {len(right)} prefixes, {question}: {share:.4f} [{low:.4f}, {high:.4f}]"
                if made is not first:
                    more, low, high = share_of(right - first.right[chosen, at], texts)
                    line += f"; difference {more:+.4f} [{low:+.4f}, {high:+.4f}]"
                print(line, flush=True)


if __name__ == "__main__":
    main()
