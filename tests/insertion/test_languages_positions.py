"""Each language's tagger sees at insertion what it sees at detection, at every token of its text.

With two kinds of tokenizer that large models have: byte-level BPE, and pieces with ``▁`` for spaces and bytes
for rare characters, as Gemma's.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable

import pytest
from stela_models.cli.demo_languages import LANGUAGES, human_text
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

import stela_core as stela
from stela_core.api import make_tagger
from stela_core.text.pos_contexts import CausalContexts
from stela_core.text.token_bytes import TokenBytes

CAUSAL = {"zh": "ctb:causal", "ko": "sejong:causal"}
"""Taggers that need no large library, where the demo's does."""

BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def byte_level(text: str) -> Tokenizer:
    """As GPT-2's: merges of bytes, so that tokens end inside of characters."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator([text], trainers.BpeTrainer(vocab_size=340, initial_alphabet=alphabet))
    return made


def pieces(text: str) -> Tokenizer:
    """As Gemma's: merges of characters, of which every fourth is not known and falls to its bytes."""
    known = "".join(char for char in text if char == " " or ord(char) % 4).replace(" ", "▁")
    trained = Tokenizer(models.BPE())
    trained.train_from_iterator([known], trainers.BpeTrainer(vocab_size=400))
    learned = json.loads(trained.to_str())["model"]
    vocabulary = {token: index for index, token in enumerate([*BYTES, *learned["vocab"]])}
    made = Tokenizer(models.BPE(vocabulary, [tuple(pair) for pair in learned["merges"]], byte_fallback=True))
    made.normalizer = normalizers.Replace(" ", "▁")
    made.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    return made


def hard(code: str) -> str:
    """Its text, decomposed and without spaces, too; marks that combine, joiners, the other direction."""
    text = human_text(code)
    apart, dense = unicodedata.normalize("NFD", text[:60]), text[:40].replace(" ", "")
    return f"{text[:120]} {apart}\u200d\u202b{text[:20]}\u202c e\u0301\u0327 שלום عَرَبِيّ क्षि {dense}"


SPECS = {code: CAUSAL.get(code, language.tagger) for code, language in LANGUAGES.items()}
CASES = [*SPECS.items(), ("en", "penn:causal")]


@pytest.mark.deep(keep=[f"byte_level-{code}-{spec}" for code, spec in CASES])
@pytest.mark.slow
@pytest.mark.parametrize(("code", "spec"), CASES)
@pytest.mark.parametrize("make", [byte_level, pieces])
def test_each_position_has_the_context_it_was_marked_with(
    code: str, spec: str, make: Callable[[str], Tokenizer], registry: stela.Registry
) -> None:
    tagger = make_tagger(registry, spec)
    text = hard(code)
    tokenizer = make(text)
    tokens = TokenBytes.of(tokenizer)
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    assert tokens.decode(ids) == text
    inserting, detecting = (CausalContexts(tagger, 3, tagger.window, tokens) for _ in range(2))
    inserted = [inserting.before_next([ids[:step]])[0] for step in range(len(ids))]
    assert inserted == detecting.before_each(ids)
    cut = len(ids) // 2
    assert detecting.before_each(ids[:cut]) == inserted[:cut], "what follows changes nothing"
    assert len(set(inserted)) > 5
