"""Profiles that accuse a text which nobody marked: by a table that weighs its green tokens, or by tried keys.

tests/strangers holds detection to what is printed here.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from stela_run.cells.marks import with_key

import stela_core as stela
from benchmarks.texts import Texts, registry
from stela_core.files.bounded import MEBIBYTE
from stela_core.files.fingerprint import sha256
from stela_core.files.json_lines import read_objects
from stela_core.hashing.keys import format_key, key_id
from stela_core.interfaces import TextSource
from stela_core.model_tokenizer import load_tokenizer
from stela_core.profile.archive import Archive, write_archive
from stela_core.profile.create import create_profile
from stela_core.profile.settings import Settings
from stela_core.tables.values import UNIT, Learned, ValueTable, value_table_bytes

KEY = 0xACC5ED
LONGEST = 64
NEUTRAL = 1
"""Thousandths of a token that is not to count."""

SECONDS = 40.0
"""Of trying keys."""


def declaration(plugins: stela.Registry, characters: int) -> str:
    """The beginning of the Universal Declaration of Human Rights, which no model wrote."""
    rows = read_objects(plugins.get(TextSource, "sample").location("en"), MEBIBYTE)
    return " ".join(row["prompt"] for row in rows)[:characters]


def table_of(values: dict[str, int]) -> bytes:
    """A value table by characters that says nothing of other text than ``values``, in thousandths."""
    learned = Learned("tiny", ("news",), 1, 100, "as if it had been learned")
    values = {"": NEUTRAL, **values}
    return value_table_bytes(ValueTable("expected-gain", "characters", LONGEST, values, 250, learned, "en"))


def profile_with(
    plugins: stela.Registry, table: bytes | None, public: bool = True, scheme: str = "learned-text"
) -> Archive:
    """A profile of the embedded model's tokenizer; nothing remembers it."""
    tokenizer = load_tokenizer(plugins, "tiny")
    return create_profile(plugins, Settings(scheme), tokenizer, KEY, public, table=table).archive


def accusing(plugins: stela.Registry, text: str, weight: int, public: bool = True) -> Archive:
    """A profile whose table gives ``weight`` thousandths to the green tokens of a text."""
    plain = profile_with(plugins, table_of({}), public)
    before, values = "", {}
    for token in stela.Watermark(plain, KEY, plugins).detect(text).tokens:
        if token.green:
            values[before[-LONGEST:]] = weight
        before += token.text
    table = table_of(values)
    profile = plain.profile.model_copy(update={"table_sha256": sha256(table)})
    return Archive(profile, plain.tokenizer, table)


def tried_keys(
    plugins: stela.Registry, text: str, enough: float, seconds: float = float("inf")
) -> tuple[Archive, int]:
    """An honest profile under the first key whose p-value on a text is at most ``enough``.

    Args:
        plugins: the installed ones.
        text: to accuse.
        enough: a p-value.
        seconds: after which the best key so far is taken.

    Returns:
        The profile, and how many keys were tried.
    """
    plain = profile_with(plugins, None, scheme="kgw")
    watermark = stela.Watermark(plain, KEY, plugins)
    [evidence] = watermark.detector.evidence(watermark.detector.ids_of([text]))
    best, chosen, key, began = 1.0, 0, 0, time.perf_counter()
    while best > enough and time.perf_counter() - began < seconds:
        detector = watermark.detector.with_composition(with_key(watermark.parts, key))
        p_value = detector.judge(detector.recoloured(evidence)).p_value
        if p_value < best:
            best, chosen = p_value, key
        key += 1
    hasher = plain.profile.hasher.model_copy(update={"key": format_key(chosen), "key_id": key_id(chosen)})
    return Archive(plain.profile.model_copy(update={"hasher": hasher}), plain.tokenizer, None), key


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print what each profile says of the declaration."""
    plugins, text = registry(), declaration(registry(), 1500)
    for weight in (1000 * UNIT, UNIT):
        show(f"green tokens weigh {weight / UNIT:g}", accusing(plugins, text, weight), plugins, text)
    archive, keys = tried_keys(plugins, text, 0.0, SECONDS)
    show(f"{keys:,} keys tried in {SECONDS:g} s", archive, plugins, text)
    lenient = archive.profile.model_copy(update={"alpha": 0.9999})
    show("alpha 0.9999", Archive(lenient, archive.tokenizer, None), plugins, text)


def show(what: str, archive: Archive, plugins: stela.Registry, text: str) -> None:
    """Print the verdict of somebody else's profile, or why it is refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.stela"
        write_archive(path, archive)
        try:
            detection = stela.load(path, registry=plugins).detect(text)
        except stela.StelaError as error:
            print(f"{what}: refused: {error.message.replace(str(path), path.name)}")
            return
    print(f"{what}: p-value {detection.p_value:.1e}, {detection.verdict}; {detection.caveat}")
