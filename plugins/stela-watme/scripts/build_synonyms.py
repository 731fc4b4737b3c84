"""Write stela_watme/clusters/wordnet.json: disjoint groups of English synonyms, from WordNet.

    python build_synonyms.py WORDNET.zip VOCABULARY... -o stela_watme/clusters/wordnet.json

WORDNET.zip is WordNet 3.0 as NLTK has it. Each VOCABULARY is a file of token texts that a word must be one
of to be of use: a tiktoken file, or a tokenizer.json. Two words are put together where the most frequent
sense of both, over all parts of speech, is the same synset: a word is in one group, by the meaning that it
mostly has. Regular forms (-s, -ed, -ing) are separate groups.
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tokenizers import Tokenizer

from stela_core.api import TokenBytes

KINDS = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
FEWEST = 2
"""Tagged occurrences of a word in WordNet's corpora: of rarer ones the main sense is unsure."""

_FUNCTION_WORDS = """
a an the this that these those such same other another each every either neither both all any some no
none one two many much more most few less least several own i me my we us our you your he him his she her it
its they them their who whom whose which what am is are was were be been being have has had having do does
did doing done will would shall should can could may might must ought need dare and or but nor so yet if
then else because as until while though although unless since whether than of at by for with about against
between into through during before after above below to from up down in out on off over under again further
once here there when where why how ever never not only just too very also even still already however thus
hence therefore etc
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())


def main() -> None:
    """Read, group, write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("wordnet", type=Path)
    parser.add_argument("vocabularies", type=Path, nargs="+")
    parser.add_argument("-o", type=Path, required=True)
    given = parser.parse_args()
    known = {word for path in given.vocabularies for word in words_of(path)}
    with zipfile.ZipFile(given.wordnet) as archive:
        senses = archive.read("wordnet/index.sense").decode("ascii").splitlines()
        irregular = {
            line.split()[1]
            for name in ("noun", "verb")
            for line in archive.read(f"wordnet/{name}.exc").decode("ascii").splitlines()
        }
    groups = sorted(groups_of(senses, irregular, known))
    rows = ",\n".join(json.dumps(group) for group in groups)
    source = "WordNet 3.0, Copyright 2006 by Princeton University (see NOTICE)"
    head = f'{{"format": "stela-clusters/1",\n"source": {json.dumps(source)},\n"words": [\n'
    given.o.write_text(f"{head}{rows}\n]}}\n", encoding="utf-8")
    print(f"{len(groups)} groups of {sum(map(len, groups))} words")


def words_of(path: Path) -> set[str]:
    """The tokens of a vocabulary that are words in lower case, without the space before them."""
    if path.suffix == ".json":
        tokens = TokenBytes.of(Tokenizer.from_file(str(path)))
        texts = [tokens[i] for i in range(len(tokens))]
    else:
        texts = [base64.b64decode(line.split()[0]) for line in path.read_text("ascii").splitlines()]
    words = (text.decode("utf-8", "ignore").strip() for text in texts)
    return {word for word in words if re.fullmatch("[a-z]{2,}", word)}


def groups_of(senses: list[str], irregular: set[str], known: set[str]) -> Iterator[list[str]]:
    """Groups of two known words and more; each word in the first group that it fits."""
    best: dict[str, tuple[int, str, str]] = {}
    totals: dict[str, int] = defaultdict(int)
    for line in senses:
        sense, offset, number, count = line.split()
        lemma, _, rest = sense.partition("%")
        if not re.fullmatch("[a-z]{2,}", lemma) or lemma in FUNCTION_WORDS:
            continue
        totals[lemma] += int(count)
        candidate = (1000 * int(count) - int(number), KINDS[rest[0]], offset)
        best[lemma] = max(best.get(lemma, candidate), candidate)
    synsets: dict[tuple[str, str], list[str]] = defaultdict(list)
    for lemma, (_, kind, offset) in best.items():
        if totals[lemma] >= FEWEST:
            synsets[kind, offset].append(lemma)
    taken = set(best)
    for (kind, _), lemmas in sorted(synsets.items()):
        yield from keep(lemmas, known)
        if len(lemmas) < 2:
            continue
        for ending in {"n": ("s",), "v": ("s", "ed", "ing")}.get(kind, ()):
            able = (lemma for lemma in lemmas if ending == "ing" or lemma not in irregular)
            forms = {inflect(lemma, ending) for lemma in able} - taken
            taken |= forms
            yield from keep(sorted(forms), known)


def keep(words: list[str], known: set[str]) -> Iterator[list[str]]:
    """The known ones of a group, where they are two or more."""
    useful = sorted(word for word in words if word in known)
    if len(useful) > 1:
        yield useful


def inflect(lemma: str, ending: str) -> str:
    """The regular form; where the rule is wrong, the result is not a word and no token."""
    if ending == "s":
        if re.search("(s|x|z|ch|sh)$", lemma):
            return f"{lemma}es"
        return re.sub("(?<![aeiou])y$", "ie", lemma) + "s"
    if re.fullmatch("[^aeiou]*[aeiou][bdgklmnprt]", lemma):
        lemma += lemma[-1]
    if ending == "ed":
        return f"{lemma}d" if lemma.endswith("e") else re.sub("(?<![aeiou])y$", "i", lemma) + "ed"
    return (lemma[:-1] if re.search("[^eoy]e$", lemma) else lemma) + "ing"


if __name__ == "__main__":
    main()
