"""What marks of sentences find, cost and survive, and kgw: the tables of README.md.

    python measure.py FOLDER [TEXTS [WORDNET.zip [EMBEDDER]]]

On stela-tiny, English prompts of stela-corpora, texts of at most 12 sentences, a key for each four texts. kgw
(delta 2) writes 320 tokens, cut after the same number of sentences. Texts are kept in FOLDER, and a run that
was stopped goes on. Needs stela-run and stela-attacks[wordnet]. With an EMBEDDER, k-semstamp is measured
by that sentence-embedding model, too.

First table, a line a mark: candidates looked at and sentences without mark; then, of the texts as they are,
with 10 and 30 % of the words left out, with as many replaced by WordNet synonyms (30 % are nearly all that
have one), and with the sentences in another order, the number found at 0.001 and the median of -log10 p.
Second table: human texts called watermarked at 0.01 over 20 keys, on average and under the worst key.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import stela_run
from stela_corpora import TextSource
from stela_corpora.named import open_corpus
from stela_models.generation.generate import Sampling, generate
from stela_models.loaded import Models
from stela_sentence.calibrate import documents
from stela_sentence.create import create_mark
from stela_sentence.draws import model_draws
from stela_sentence.embedders import Embedder, open_embedder
from stela_sentence.mark import SentenceMark
from stela_sentence.mark_file import Kind
from stela_sentence.ngrams import Ngrams
from stela_sentence.split import ends
from stela_sentence.writing import write

import stela_core as stela
from stela_core.api import LanguageModel

KINDS: tuple[Kind, ...] = ("semstamp", "k-semstamp", "simmark")
SENTENCES = 12
PER_KEY = 4
KEY = 0xABCDEF
KEYS = 20
HUMAN_ALPHA = 0.01

Record: TypeAlias = dict[str, Any]
Edit: TypeAlias = Callable[[list[str]], list[str]]


class Mark(NamedTuple):
    """One line of the table."""

    name: str
    write: Callable[[int, list[str]], list[Record]]
    """Texts of prompts, of which the first has this number."""
    p_value: Callable[[int, str], float]
    """p-value of the text of this number."""


def under_keys(prose: list[str], kind: Kind, by: Embedder, keys: int) -> list[SentenceMark]:
    """The mark under ``keys`` keys; all else is the same."""
    made = create_mark(kind, by, prose, KEY, public=True)
    return [SentenceMark(made, KEY + number, by) for number in range(keys)]


def of_sentences(prose: list[str], kind: Kind, by: Embedder, model: LanguageModel, keys: int) -> Mark:
    """A mark of sentences."""
    marks = under_keys(prose, kind, by, keys)

    def written(first: int, prompts: list[str]) -> list[Record]:
        return [
            write(marks[number // PER_KEY], prompt, model_draws(model, prompt, number), SENTENCES).to_dict()
            for number, prompt in enumerate(prompts, first)
        ]

    name = kind if by.fingerprint is None else f"{kind}-model"
    return Mark(name, written, lambda number, text: marks[number // PER_KEY].detect(text).p_value)


def of_tokens(model: LanguageModel, keys: int) -> Mark:
    """Kgw, cut after the same number of sentences."""
    marks = [stela.create("kgw", "tiny", key=KEY + number, delta=2.0) for number in range(keys)]

    def written(first: int, prompts: list[str]) -> list[Record]:
        sampling = Sampling(320, 320, seed=first)
        [texts] = generate(marks[first // PER_KEY], model, prompts, sampling, len(prompts))
        cut = [one.text[: [*ends(one.text), len(one.text)][:SENTENCES][-1]] for one in texts]
        return [{"text": text, "tries": [1], "valid": [True]} for text in cut]

    return Mark("kgw", written, lambda number, text: marks[number // PER_KEY].detect(text).p_value)


def kept(file: Path, prompts: list[str], mark: Mark) -> list[Record]:
    """The records of a file, which is added to until there is one for each prompt."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    while len(lines) < len(prompts):
        first = len(lines)
        lines += [json.dumps(record) for record in mark.write(first, prompts[first : first + PER_KEY])]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [json.loads(line) for line in lines[: len(prompts)]]


def edits(registry: stela.Registry, models: Models, wordnet: str | None) -> Iterator[tuple[str, Edit]]:
    """What is done to texts, by name."""
    place = {} if wordnet is None else {"path": wordnet}
    wanted: dict[str, tuple[str, dict[str, Any]]] = {
        "-10 %": ("edits-delete", {"share": 0.1}),
        "-30 %": ("edits-delete", {"share": 0.3}),
        "syn 10 %": ("wordnet", {"share": 0.1} | place),
        "syn 30 %": ("wordnet", {"share": 0.3} | place),
        "order": ("edits-sentences", {}),
    }
    yield "as is", list
    for label, (name, parameters) in wanted.items():
        kind = registry.get(stela_run.Attack, name)
        attack = kind(kind.Parameters(**parameters))

        def change(texts: list[str], attack: stela_run.Attack[Any] = attack) -> list[str]:
            return list(attack.apply(texts, stela_run.Circumstances("en", 0, [""] * len(texts), [], models)))

        yield label, change


def main() -> None:
    """Write, change, detect."""
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 12
    registry = stela.create_registry()
    file = registry.get(TextSource, "sample").location("en")
    prompts = [json.loads(line)["prompt"] for line in file.read_text(encoding="utf-8").splitlines()][:count]
    prose = list(open_corpus(registry.get(TextSource, "sample-prose").location("en")))
    models = Models(registry, "cpu")
    model = models.load("tiny")
    changes = dict(edits(registry, models, sys.argv[3] if len(sys.argv) > 3 else None))
    by: list[tuple[Kind, Embedder]] = [(kind, Ngrams()) for kind in KINDS]
    by += [("k-semstamp", open_embedder(sys.argv[4]))] if len(sys.argv) > 4 else []
    print(f"{'mark':16} tries missed  " + "  ".join(f"{label:>11}" for label in changes))
    keys = -(-count // PER_KEY)
    for mark in (*(of_sentences(prose, *each, model, keys) for each in by), of_tokens(model, keys)):
        records = kept(folder / f"{mark.name}.jsonl", prompts, mark)
        tries = np.concatenate([record["tries"] for record in records])
        valid = np.concatenate([record["valid"] for record in records])
        line = f"{mark.name:16} {tries.mean():5.1f} {1 - valid.mean():6.1%}  "
        for change in changes.values():
            texts = change([record["text"] for record in records])
            p = np.array([mark.p_value(number, text) for number, text in enumerate(texts)])
            line += f"{(p <= 0.001).sum():>4} of {count} {np.median(-np.log10(p)):4.1f}"
        print(line, flush=True)
    human = [" ".join(some[:SENTENCES]) for some in documents(prose) if len(some) >= SENTENCES]
    print(f"\n{len(human)} human texts of {SENTENCES} sentences, p <= {HUMAN_ALPHA}, of {KEYS} keys:")
    for kind in KINDS:
        marks = under_keys(prose, kind, Ngrams(), KEYS)
        p = np.array([[one.detect(text).p_value for text in human] for one in marks])
        rates = (p <= HUMAN_ALPHA).mean(axis=1)
        print(f"{kind:10} mean {rates.mean():.2%}, worst {rates.max():.2%}", flush=True)


if __name__ == "__main__":
    main()
