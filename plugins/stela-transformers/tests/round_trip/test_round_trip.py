"""The mask of ids that do not come back from text."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from stela_models.tokenizer import load_tokenizer
from stela_testing.texts import ENGLISH, KOREAN
from stela_transformers.round_trip.bpe_pairs import BpePairs
from stela_transformers.round_trip.cut_again import LAST_IDS, CutAgain, comes_back, read
from stela_transformers.round_trip.round_trip import TRIED, RoundTrip, likeliest
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

import stela_core as stela
from stela_core.api import TokenBytes
from tests.tiers import Draws, examples


def pieces() -> Tokenizer:
    """SentencePiece's form: spaces as a sign, no pre-tokenizer, bytes for what is not in the vocabulary."""
    characters = sorted(set(ENGLISH.replace(" ", "▁") + KOREAN.replace(" ", "▁")))
    merges = [
        ("t", "h"),
        ("th", "e"),
        ("▁", "the"),
        ("▁", "t"),
        ("▁t", "h"),
        ("▁th", "e"),
        ("h", "e"),
        ("t", "he"),
    ]
    merges += [("▁", "o"), ("▁o", "f"), ("o", "f"), ("▁", "of"), ("i", "t"), ("o", "r"), ("r", "y")]
    whole = dict.fromkeys(first + second for first, second in merges)
    names = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *characters, *whole]
    vocabulary = {token: index for index, token in enumerate(names)}
    merges.sort(key=lambda pair: vocabulary["".join(pair)])
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=merges, byte_fallback=True, unk_token="<unk>"))
    made.normalizer = normalizers.Replace(" ", "▁")
    made.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    made.add_special_tokens(["<unk>"])
    return made


def with_space_first(by: str) -> Tokenizer:
    """As Llama 2 and Mistral have it: a space is written before the first word, and taken off again."""
    made = pieces()
    parts = made.decoder, decoders.Strip(" ", 1, 0)
    made.decoder = decoders.Sequence(list(parts))
    if by == "prepend":
        made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), made.normalizer])
    else:
        made.normalizer = None
        made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    return made


MADE = {"pieces": pieces, **{by: partial(with_space_first, by) for by in ("prepend", "metaspace")}}


@cache
def mask(name: str) -> tuple[Tokenizer, TokenBytes, RoundTrip]:
    tokenizer = MADE[name]() if name in MADE else load_tokenizer(stela.create_registry(), name)
    tokens = TokenBytes.of(tokenizer)
    return tokenizer, tokens, RoundTrip(tokenizer, tokens)


@pytest.mark.deep(keep=["tiny-small", "metaspace"])
@pytest.mark.parametrize("name", [pytest.param("tiny", marks=pytest.mark.slow), "tiny-small", *MADE])
@examples(8)
@given(seed=st.integers(0, 2**32), signs=st.booleans(), sharp=st.floats(0.5, 6))
@example(seed=7519, signs=False, sharp=1.0)
@example(seed=7519, signs=True, sharp=1.0)
def test_random_walks_come_back(name: str, seed: int, signs: bool, sharp: float) -> None:
    """Also where the model prefers pieces of characters: no step is open, none gives way."""
    tokenizer, tokens, round_trip = mask(name)
    rng = np.random.default_rng(seed)
    liked = np.array([signs * 6.0 * (not tokens[i].strip().isalpha()) for i in range(len(tokens))])
    before = round_trip.gave_way
    ids: list[int] = []
    for _ in range(25):
        scores = sharp * rng.normal(size=len(tokens)) + liked
        allowed = round_trip.allowed(ids, scores)
        assert not allowed.all()
        scores[~allowed | ~round_trip.text] = -np.inf
        ids.append(int((scores + rng.gumbel(size=len(scores))).argmax()))
        if not read(b"".join(tokens[i] for i in ids))[1]:  # within a character there is no text yet
            assert comes_back(ids, tokenizer, tokens), tokens.decode(ids)
    assert "\ufffd" not in tokens.decode(ids)
    assert round_trip.gave_way == before


@pytest.mark.parametrize("name", ["prepend", "metaspace"])
def test_a_byte_first_where_a_space_is_written(name: str) -> None:
    """It never comes back: the tokenizer writes a space before it. After one, a byte does."""
    tokenizer, tokens, round_trip = mask(name)
    first, space, e5 = (tokenizer.token_to_id(token) for token in ("<0xE6>", "▁", "<0xE5>"))
    assert tokenizer.encode("山").tokens == ["▁", "<0xE5>", "<0xB1>", "<0xB1>"]
    liking = np.zeros(len(tokens))
    liking[[first, e5]] = 9.0
    assert not round_trip.allowed([], liking)[first]
    assert round_trip.allowed([space], liking)[e5]
    # The engine drew it all the same: what comes next makes a character, and it is counted.
    before, ids = round_trip.gave_way, [first]
    rng = np.random.default_rng(0)
    for _ in range(2):
        allowed = round_trip.allowed(ids, rng.normal(size=len(tokens)))
        assert {bytes(tokens[i]) for i in np.flatnonzero(allowed & round_trip.text)} == {
            bytes([byte]) for byte in range(0x80, 0xC0)
        }
        ids.append(int(rng.choice(np.flatnonzero(allowed & round_trip.text))))
    assert round_trip.gave_way == before + 2
    assert len(tokens.decode(ids)) == 1
    assert "\ufffd" not in tokens.decode(ids)


def test_bytes_that_only_characters_of_the_vocabulary_begin_with() -> None:
    """All of Cyrillic's first block is in it: D0 comes back from nothing, D1 does."""
    letters = [chr(point) for point in range(0x400, 0x440)]
    names = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁", *letters]
    vocabulary = {token: index for index, token in enumerate(names)}
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=[], byte_fallback=True, unk_token="<unk>"))
    made.normalizer = normalizers.Replace(" ", "▁")
    made.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    made.add_special_tokens(["<unk>"])
    round_trip = RoundTrip(made, TokenBytes.of(made))
    d0, d1 = vocabulary["<0xD0>"], vocabulary["<0xD1>"]
    liking = np.zeros(len(names))
    liking[[d0, d1]] = 5.0
    for before in ([], [vocabulary["ж"]]):
        allowed = round_trip.allowed(before, liking)
        assert (allowed[d0], allowed[d1]) == (False, True)
    assert round_trip.gave_way == 0


def test_where_only_an_end_is_left_it_is_taken() -> None:
    _, tokens, round_trip = mask("pieces")
    scores = np.full(len(tokens), -np.inf)
    broken = next(i for i in range(len(tokens)) if tokens[i][:1] == b"\x80")
    end = next(iter(tokens.special))
    scores[[broken, end]] = 0.0
    before = round_trip.gave_way
    allowed = round_trip.allowed([], scores)
    assert (allowed[end], allowed[broken]) == (True, False)
    assert round_trip.gave_way == before + 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("tiny", ENGLISH, marks=pytest.mark.slow),
        pytest.param("tiny", KOREAN, marks=pytest.mark.slow),
        pytest.param("tiny", "1984년, it's\n\n '\"x", marks=pytest.mark.slow),
        ("pieces", ENGLISH),
    ],
)
def test_candidates_as_the_whole_text_cut_again(name: str, text: str) -> None:
    tokenizer, tokens, round_trip = mask(name)
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    rng = np.random.default_rng(0)
    for length in (1, 3, LAST_IDS, len(ids)):
        before = ids[:length]
        if read(b"".join(tokens[i] for i in before))[1]:
            continue
        scores = rng.normal(size=len(tokens))
        allowed = round_trip.allowed(before, scores)
        assert 0 < (allowed & round_trip.text).sum() < round_trip.text.sum()
        some = [i for i in rng.permutation(len(tokens))[:600].tolist() if round_trip.text[i]]
        whole = [i for i in some if not read(tokens[i])[1]]
        # Whatever is allowed comes back; what does and is not was never likely enough to be tried.
        assert all(comes_back([*before, i], tokenizer, tokens) for i in whole if allowed[i])
        tried = CutAgain(tokenizer, tokens, BpePairs.of(tokenizer)).come_back(before[-LAST_IDS:], whole)
        assert tried == [comes_back([*before, i], tokenizer, tokens) for i in whole]


def test_text_that_a_tokenizer_made_is_never_refused() -> None:
    tokenizer, tokens, round_trip = mask("tiny")
    for text in (ENGLISH, KOREAN, "It's 12 o'clock; 나는 책을 읽는다.\n\n這個 (城市)。 x\n  y"):
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        for length in range(len(ids)):
            scores = np.zeros(len(tokens))
            scores[ids[length]] = 5.0
            # Within a run of spaces the next word decides how it is cut.
            if not tokens[ids[length]].isspace():
                assert round_trip.allowed(ids[:length], scores)[ids[length]], (text, length)


def test_special_ids_padding_and_ended_texts_are_left_alone() -> None:
    _, tokens, round_trip = mask("tiny")
    scores = np.zeros(len(tokens) + 7, dtype=np.float32)
    allowed = round_trip.allowed([400, 500], scores)
    assert allowed[sorted(tokens.special)].all()
    assert allowed[len(tokens) :].all()
    assert not allowed.all()
    assert round_trip.allowed([400, next(iter(tokens.special))], scores).all()


def test_a_dead_end_leaves_the_logits() -> None:
    _, tokens, round_trip = mask("tiny")
    scores = np.full(len(tokens), -np.inf)
    broken = next(i for i in range(len(tokens)) if tokens[i][:1] == b"\x80")
    scores[broken] = 0.0
    assert round_trip.allowed([], scores).all()


def test_arrays_and_tensors_and_rows_alone() -> None:
    torch = pytest.importorskip("torch")
    wm = stela.create("kgw", model="tiny", key=5)
    marker, plain = wm.marker(round_trip=True), wm.marker()
    rows = [[400, 500, 600], [700], []]
    logits = np.random.default_rng(1).normal(size=(3, 8192)).astype(np.float32)
    before = logits.copy()
    marked = marker(rows, logits)
    assert (logits == before).all()
    kept = np.isfinite(marked)
    assert 0 < kept.sum() < kept.size
    assert (marked[kept] == plain(rows, logits)[kept]).all()
    assert (marker(rows, torch.from_numpy(logits)).numpy() == marked).all()
    for row, own, wanted in zip(rows, logits, marked, strict=True):
        assert (marker([row], own[None])[0] == wanted).all()


@given(st.lists(st.integers(0, 30), max_size=200), st.integers(1, 40))
def test_likeliest_as_sorting_says(scores: list[int], count: int) -> None:
    own = np.array(scores, dtype=np.float64)
    ids = np.arange(len(own))
    wanted = sorted((i for i in ids.tolist() if own[i] >= 5), key=lambda i: (-own[i], i))[:count]
    assert likeliest(ids, own, 5, count) == wanted
    assert len(likeliest(ids, own, -np.inf)) <= TRIED


@pytest.mark.slow
def test_generated_ids_are_those_of_the_text(draws: Draws) -> None:
    wm = stela.create("kgw", model="tiny", key=5)
    model, tokenizer = stela.load_model("tiny")
    import torch

    inputs = tokenizer(["The history of the city"] * 8, return_tensors="pt", return_token_type_ids=False)
    options = {"do_sample": True, "temperature": 1.3, "top_k": 0, "max_new_tokens": draws(80, 40)}
    lost = {}
    for round_trip in (False, True):
        torch.manual_seed(0)
        processor = wm.logits_processor(tokenizer, round_trip=round_trip)
        out = model.generate(**inputs, **options, logits_processor=[processor])
        rows = [
            [i for i in row if wm.tokens.is_text(i)]
            for row in out[:, inputs["input_ids"].shape[1] :].tolist()
        ]
        whole = [row for row in rows if not read(b"".join(wm.tokens[i] for i in row))[1]]
        texts = wm.detector.ids_of([wm.tokens.decode(row) for row in whole])
        lost[round_trip] = sum(text != row for text, row in zip(texts, whole, strict=True))
    assert lost[True] == 0 < lost[False]
    torch.manual_seed(0)
    config = wm.watermarking_config(tokenizer, round_trip=True)
    assert (
        model.generate(**inputs, **(options | {"temperature": 1.0}), watermarking_config=config).shape[0] == 8
    )


@pytest.mark.parametrize("begun", [b"\xed\xa0", b"\xed\xbf"])
def test_the_beginning_of_a_surrogate_is_no_text(begun: bytes) -> None:
    """Python's decoder would wait for its third byte; what no text holds must not be begun."""
    with pytest.raises(UnicodeDecodeError):
        read(b"a" + begun, "strict")
    assert read(b"a" + b"\xed\x9f", "strict") == ("a", b"\xed\x9f")
