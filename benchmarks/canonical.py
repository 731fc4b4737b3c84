"""Marked texts in disguise, and what testing the canonical form too costs."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence

import numpy as np
from stela_detection.canonical.form import canonical_text
from stela_models.generation.generate import Sampling, generate
from stela_models.load import load_model
from stela_models.tokenizer import load_tokenizer

import stela_core as stela
from benchmarks.disguises import DISGUISES
from benchmarks.texts import PROMPTS, Texts, registry
from stela_core.detection.batch import Batch
from stela_core.detection.readings import Reader, as_it_is, reader_of
from stela_core.detection.result import best_reading
from stela_core.profile.create import Settings
from stela_core.watermark import Watermark

TEXTS, TOKENS, ALPHA = 60, 150, 1e-3
HUMAN, KEYS = 300, 10
TRANSFORMED = (
    "wrapped at 72",
    "ignorables, all kinds",
    "all letters spaced",
    "JSON in JSON",
    "quoted-printable",
    "percent-encoding",
    "read as Latin-1",
    "upper case",
)
"""What human text is tested in, too: unmarked text must not be found more often for it."""
BEGINNINGS = {"en": "The history of the city", **PROMPTS}
SCHEMES = ("kgw", "learned-text")
ALL = reader_of(registry())
READERS: tuple[Reader, Reader] = (as_it_is, ALL)


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print shares detected and mean z in each disguise, costs, rates of false alarms, and processor time."""
    for language in args.languages.split(","):
        for scheme in SCHEMES:
            mark = created(scheme, language)
            print(
                f"\n{language}, {scheme}, delta 2: {TEXTS} texts of {TOKENS} tokens, a key each", flush=True
            )
            disguised(list(marked(scheme, language)))
            if scheme == "kgw" and (language == "en" or args.data is not None):
                alarms(mark, texts.documents(language, HUMAN, TOKENS))


def created(scheme: str, language: str, key: int = 2026) -> Watermark:
    """A watermark for the embedded model."""
    settings = Settings(scheme, {"delta": 2.0}, language=language if scheme == "learned-text" else None)
    made = settings.create(registry(), load_tokenizer(registry(), "tiny"), key, public=True)
    return stela.Watermark(made.archive, None, registry())


def marked(scheme: str, language: str) -> Iterator[tuple[Watermark, str]]:
    """Texts of the embedded model, each under a key of its own."""
    model = load_model(registry(), "tiny")
    for number in range(TEXTS):
        own = created(scheme, language, 7919 * number + 1)
        sampling = Sampling(TOKENS, min_new_tokens=TOKENS, temperature=1.0, seed=number)
        [[text]] = generate(own, model, [BEGINNINGS[language]], sampling, batch_size=1)
        yield own, text.text


def disguised(made: Sequence[tuple[Watermark, str]]) -> None:
    """A row for each disguise, the text as it is tested alone and in both readings."""
    forms = [canonical_text(text).text for _, text in made]
    others = sum(form != text for form, (_, text) in zip(forms, made, strict=True))
    print(f"{others} of {TEXTS} are not canonical")
    print(f"{'disguise':22} {'as it is':>20} {'both readings':>20}   canonical form restored")
    for name, disguise in DISGUISES.items():
        worn = [disguise(text) for _, text in made]
        cells = []
        for reader in READERS:
            tests = [
                own.detector.detect_batch(Batch.of_texts([text], reader=reader))[0]
                for (own, _), text in zip(made, worn, strict=True)
            ]
            share = np.mean([test.p_value <= ALPHA for test in tests])
            logs = np.median([-np.log10(test.p_value) for test in tests])
            cells.append(f"{share:5.2f} z{np.mean([test.z for test in tests]):6.2f} {logs:6.2f}")
        restored = np.mean(
            [canonical_text(text).text == form for text, form in zip(worn, forms, strict=True)]
        )
        print(f"{name:22} {cells[0]:>20} {cells[1]:>20}   {restored:.2f}", flush=True)


def alarms(mark: Watermark, rows: list[list[int]]) -> None:
    """Rates of p-values of human text under random keys, and the processor time of canonical forms."""
    strings = [mark.tokens.decode(row) for row in rows]
    began = time.process_time()
    mark.detector.ids_of(strings)
    cutting = time.process_time() - began
    began = time.process_time()
    forms = [canonical_text(text).text for text in strings]
    print(f"processor time of canonical forms / of tokenizing: {(time.process_time() - began) / cutting:.2f}")
    changed = [text for text, form in zip(strings, forms, strict=True) if form != text]
    print(f"{len(changed)} of {len(strings)} human texts are not canonical")
    sets = {
        "human, as it is": (strings, as_it_is),
        "human": (strings, ALL),
        "not canonical": (changed, ALL),
        "capitals, non-breaking": ([text.upper().replace(" ", "\xa0") for text in strings], ALL),
        **{name: ([DISGUISES[name](text) for text in strings], ALL) for name in TRANSFORMED},
    }
    rng = np.random.default_rng(11)
    for name, (chosen, reader) in sets.items():
        if len(chosen) >= 30:
            p = p_values(mark, chosen, reader, rng)
            rates = ", ".join(f"{(p <= a).mean():.4f} at {a:g}" for a in (0.1, 0.01, 0.001))
            print(f"{name:22} {len(p)} tests: {rates}", flush=True)


def p_values(
    mark: Watermark, texts: Sequence[str], reader: Reader, rng: np.random.Generator
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Of each text under :data:`KEYS` keys that no other text is tested under."""
    p_values = []
    for readings in mark.detector.readings_evidence(Batch.of_texts(texts, reader=reader)):
        for key in rng.integers(0, 2**63, KEYS).tolist():
            own = mark.detector.with_composition(mark.parts.under(key))
            p_values.append(best_reading([own.judge(own.recoloured(one)) for one in readings]).p_value)
    return np.array(p_values)
