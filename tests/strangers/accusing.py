"""Profiles that accuse a text which nobody marked: by a table that weighs its green tokens, or by tried keys.

docs/benchmarks.md ("Strangers") has what detection says of them.
"""

from __future__ import annotations

from stela_corpora import TextSource
from stela_models.tokenizer import load_tokenizer
from stela_run.bounded_files import read_objects
from stela_tables.values import Learned, ValueTable, value_table_bytes

import stela_core as stela
from stela_core.files.bounded import MEBIBYTE
from stela_core.files.fingerprint import sha256
from stela_core.hashing.keys import format_key, key_id
from stela_core.profile.archive import Archive
from stela_core.profile.create import Settings

KEY = 0xACC5ED
LONGEST = 64
NEUTRAL = 1
"""Thousandths of a token that is not to count."""


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
    return Settings(scheme).create(plugins, tokenizer, KEY, public, table=table).archive


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


def tried_keys(plugins: stela.Registry, text: str, enough: float) -> Archive:
    """An honest profile under the first key whose p-value on a text is at most ``enough``."""
    plain = profile_with(plugins, None, scheme="kgw")
    watermark = stela.Watermark(plain, KEY, plugins)
    [evidence] = watermark.detector.evidence(watermark.detector.ids_of([text]))
    key, p_value = 0, 1.0
    while p_value > enough:
        key += 1
        detector = watermark.detector.with_composition(watermark.parts.under(key))
        p_value = detector.judge(detector.recoloured(evidence)).p_value
    hasher = plain.profile.hasher.model_copy(update={"key": format_key(key), "key_id": key_id(key)})
    return Archive(plain.profile.model_copy(update={"hasher": hasher}), plain.tokenizer, None)
