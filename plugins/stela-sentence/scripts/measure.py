"""What marks of sentences find, cost and survive, beside kgw: the tables of README.md.

    python measure.py FOLDER [TEXTS [WORDNET.zip]]

On stela-tiny, English prompts of stela-sample, texts of at most 12 sentences, a key for each four texts. kgw
(delta 2) writes 320 tokens, cut after the same number of sentences. Texts are kept in FOLDER, and a run that
was stopped goes on. Needs stela-run, stela-edits and stela-wordnet.

First table, a line a mark: candidates looked at and sentences without mark; then, of the texts as they are,
with 10 and 30 % of the words left out, with 30 % replaced by WordNet's synonyms, and with the sentences in
another order, the number found at 0.001 and the median of -log10 p. Second table: human texts called
watermarked at 0.01 over 20 keys, on average and under the worst key.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import stela_run
from stela_corpora.named import open_corpus
from stela_models.generation.generate import Sampling, generate
from stela_models.loaded import Models
from stela_sentence.calibrate import documents
from stela_sentence.create import create_mark
from stela_sentence.draws import model_draws
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


def marks(prose: list[str], kind: Kind, keys: int) -> Iterator[SentenceMark]:
    """The mark under so many keys; all else is the same."""
    made = create_mark(kind, Ngrams(), prose, KEY, public=True)
    yield from (SentenceMark(made, KEY + number, Ngrams()) for number in range(keys))


def written(
    mark: SentenceMark, model: LanguageModel, prompts: list[str], first: int
) -> list[dict[str, object]]:
    """Marked texts, one for each prompt."""
    return [
        write(mark, prompt, model_draws(model, prompt, first + number), SENTENCES).to_dict()
        for number, prompt in enumerate(prompts)
    ]


def by_kgw(
    mark: stela.Watermark, model: LanguageModel, prompts: list[str], first: int
) -> list[dict[str, object]]:
    """Texts of the same number of sentences, marked token by token."""
    [texts] = generate(mark, model, prompts, Sampling(320, 320, seed=first), len(prompts))
    cut = [one.text[: [*ends(one.text), len(one.text)][:SENTENCES][-1]] for one in texts]
    return [{"text": text, "tries": [], "valid": []} for text in cut]


def kept(file: Path, count: int, make: Callable[[int], list[dict[str, object]]]) -> list[dict[str, object]]:
    """The records of a file, which is added to until there are so many."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    while len(lines) < count:
        lines += [json.dumps(record) for record in make(len(lines))]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [json.loads(line) for line in lines[:count]]


def edits(
    registry: stela.Registry, models: Models, wordnet: str | None
) -> dict[str, Callable[[list[str]], list[str]]]:
    """What is done to texts, by name."""
    wanted: dict[str, tuple[str, dict[str, object]]] = {
        "-10 %": ("edits-delete", {"share": 0.1}),
        "-30 %": ("edits-delete", {"share": 0.3}),
        "synonyms": ("wordnet", {"share": 0.3} | ({} if wordnet is None else {"path": wordnet})),
        "order": ("edits-sentences", {}),
    }
    made: dict[str, Callable[[list[str]], list[str]]] = {"as is": list}
    for label, (name, parameters) in wanted.items():
        kind = registry.get(stela_run.Attack, name)
        attack = kind(kind.Parameters(**parameters))

        def change(texts: list[str], attack: stela_run.Attack = attack) -> list[str]:
            around = stela_run.Circumstances("en", 0, [""] * len(texts), [], models)
            return list(attack.apply(texts, around))

        made[label] = change
    return made


def main() -> None:
    """Write, change, detect."""
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    registry = stela.create_registry()
    file = registry.get(stela.TextSource, "sample").location("en")
    prompts = [json.loads(line)["prompt"] for line in file.read_text(encoding="utf-8").splitlines()][:count]
    prose = list(open_corpus(registry.get(stela.TextSource, "sample-prose").location("en")))
    models = Models(registry, "cpu")
    model = models.load("tiny")
    changes = edits(registry, models, sys.argv[3] if len(sys.argv) > 3 else None)
    print(f"{'mark':10} tries missed  " + "  ".join(f"{label:>11}" for label in changes))
    for name in (*KINDS, "kgw"):
        keys = -(-count // PER_KEY)
        some: list[SentenceMark] | list[stela.Watermark]
        if name == "kgw":
            some = [stela.create(name, "tiny", key=KEY + number, delta=2.0) for number in range(keys)]
        else:
            some = list(marks(prose, name, keys))

        def make(
            first: int, some: list[SentenceMark] | list[stela.Watermark] = some
        ) -> list[dict[str, object]]:
            mark = some[first // PER_KEY]
            asked = prompts[first : first + PER_KEY]
            by = by_kgw if isinstance(mark, stela.Watermark) else written
            return by(mark, model, asked, first)  # type: ignore[arg-type]

        records = kept(folder / f"{name}.jsonl", count, make)
        tries = [each for record in records for each in record["tries"]]  # type: ignore[attr-defined]
        valid = [each for record in records for each in record["valid"]]  # type: ignore[attr-defined]
        line = f"{name:10} {np.mean(tries) if tries else 1:5.1f} {1 - np.mean(valid) if valid else 0:6.1%}  "
        for change in changes.values():
            texts = change([str(record["text"]) for record in records])
            p = np.array([some[n // PER_KEY].detect(text).p_value for n, text in enumerate(texts)])
            line += f"{(p <= 0.001).sum():>4} of {count} {np.median(-np.log10(p)):4.1f}"
        print(line, flush=True)
    human = [" ".join(some[:SENTENCES]) for some in documents(prose) if len(some) >= SENTENCES]
    print(
        f"\n{len(human)} human texts, {SENTENCES} sentences, p <= {HUMAN_ALPHA}: mean and worst of {KEYS} keys"
    )
    for kind in KINDS:
        rates = [
            np.mean([mark.detect(text).p_value <= HUMAN_ALPHA for text in human])
            for mark in marks(prose, kind, KEYS)
        ]
        print(f"{kind:10} {np.mean(rates):.2%} {np.max(rates):.2%}", flush=True)


if __name__ == "__main__":
    main()
