import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_testing.texts import KOREAN, random_text, text_of
from tokenizers import Tokenizer

from stela_core.text.pos_contexts import CausalContexts
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.windows import window_of
from tests.helpers import LengthTagger
from tests.tiers import examples


@examples(60)
@given(ids=st.lists(st.integers(0, 399), max_size=60), k=st.integers(1, 4), window=st.integers(1, 5))
def test_insertion_and_detection_agree_with_the_definition(
    token_bytes: TokenBytes, ids: list[int], k: int, window: int
) -> None:
    tagger = LengthTagger()
    prefixes = [ids[:t] for t in range(len(ids))]
    inserted = CausalContexts(tagger, k, window, token_bytes).before_next(prefixes)
    detected = CausalContexts(tagger, k, window, token_bytes).before_each(ids)
    texts = [window_of(text_of(prefix, token_bytes), window, "word") for prefix in prefixes]
    expected = [
        tuple(t.tag for t in tags)[len(tags) - k + 1 if len(tags) >= k else 0 :] for tags in tagger.tag(texts)
    ]
    expected = [context if k > 1 else () for context in expected]
    assert inserted == detected == expected


def test_rows_in_any_batch_and_order(tokenizer: Tokenizer, token_bytes: TokenBytes) -> None:
    rows = [tokenizer.encode(random_text(n)).ids[: 20 + n] for n in range(32)]
    alone = [CausalContexts(LengthTagger(), 3, 4, token_bytes).before_next([row])[0] for row in rows]
    together = CausalContexts(LengthTagger(), 3, 4, token_bytes)
    assert together.before_next(rows) == alone
    assert together.before_next(rows[::-1]) == alone[::-1]


def test_distinct_windows_are_tagged_once_and_in_one_call(
    tokenizer: Tokenizer, token_bytes: TokenBytes, length_tagger: LengthTagger
) -> None:
    contexts = CausalContexts(length_tagger, 3, 4, token_bytes)
    ids = tokenizer.encode(KOREAN).ids
    contexts.before_each(ids)
    contexts.before_each(ids)
    contexts.before_next([ids, ids])
    tagged = [window for call in length_tagger.seen for window in call]
    assert len(tagged) == len(set(tagged))
    assert len(length_tagger.seen) == 2  # one call for the text, one for its end


def test_a_token_inside_a_character_changes_nothing(
    tokenizer: Tokenizer, token_bytes: TokenBytes, length_tagger: LengthTagger
) -> None:
    contexts = CausalContexts(length_tagger, 3, 4, token_bytes)
    ids = tokenizer.encode("한국의 역사는 쀍").ids  # the last one is not in the training text: three tokens
    assert len(token_bytes[ids[-1]]) == 1
    found = contexts.before_next([ids[:-3], ids[:-2], ids[:-1], ids])
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("batch", [1, 7, 4_096])
def test_some_places_of_several_texts(
    tokenizer: Tokenizer, token_bytes: TokenBytes, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stela_core.text.pos_contexts.BATCH", batch)
    rows = [tokenizer.encode(random_text(n)).ids[: 5 * n] for n in range(8)]
    places = [list(range(n % 3, len(ids), 2)) for n, ids in enumerate(rows)]
    expected = [
        [CausalContexts(LengthTagger(), 3, 4, token_bytes).before_next([ids[:t]])[0] for t in at]
        for ids, at in zip(rows, places, strict=True)
    ]
    contexts = CausalContexts(LengthTagger(), 3, 4, token_bytes)
    assert contexts.before_places(rows, places) == expected
    assert contexts.before_places(rows, places) == expected
