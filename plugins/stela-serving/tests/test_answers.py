"""What of an output is the answer: delimiters of published chat templates, in any tokens."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_serving.answers import AnswerIds, Delimiters
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

FIRST = ["<think>", "</think>", "<tool_call>", "</tool_call>", "<|channel|>", "<|message|>", "<|end|>"]
PIECES = [
    "<",
    "think",
    ">",
    "</",
    "final",
    "analysis",
    ">\n\n",
    "[",
    "THINK",
    "]",
    "/",
    "TOOL",
    "_CALLS",
    " ",
]


def tokenizer_of(special: list[str], pieces: list[str]) -> Tokenizer:
    """Special tokens, pieces that may make up delimiters, and all bytes."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    written = [piece.replace(" ", "Ġ").replace("\n", "Ċ") for piece in pieces]
    vocabulary = {one: number for number, one in enumerate(dict.fromkeys([*alphabet, *written]))}
    made = Tokenizer(models.BPE(vocabulary, []))
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens(special)
    return made


TOKENIZER = tokenizer_of(FIRST, PIECES)


def ids_of(*tokens: str) -> list[int]:
    """Of tokens, or of the characters of what is none."""
    ids = []
    for token in tokens:
        written = token.replace(" ", "Ġ").replace("\n", "Ċ")
        known = TOKENIZER.token_to_id(written)
        ids += [TOKENIZER.token_to_id(one) for one in written] if known is None else [known]
    assert None not in ids
    return ids


def answer(*tokens: str, prompt: tuple[str, ...] = (), after: str | None = None) -> str:
    read = AnswerIds(Delimiters(TOKENIZER, after), ids_of(*prompt), ids_of(*tokens))
    return TOKENIZER.decode(list(read), skip_special_tokens=False)


@pytest.mark.parametrize(
    ("tokens", "seen"),
    [
        (("plain",), "plain"),
        (("<think>", "hm", "</think>", "yes"), "yes"),
        (("<", "think", ">", "hm", "</", "think", ">", "yes"), "yes"),
        (("<", "think", ">", "hm", "</", "think", ">\n\n", "yes"), "yes"),
        (("[", "THINK", "]", "hm", "[", "/", "THINK", "]", "yes"), "yes"),
        (("a", "<think>", "b", "</think>", "c"), "ac"),
        (("a", "<tool_call>", "{}", "</tool_call>", "c"), "ac"),
        (("a", "[", "TOOL", "_CALLS", "]", "c"), "a"),
        (("<think>", "hm"), ""),
        (("a<b", ">c"), "a<b>c"),
        (
            (
                "<|channel|>",
                "analysis",
                "<|message|>",
                "x",
                "<|end|>",
                "<|channel|>",
                "final",
                "<|message|>",
                "y",
            ),
            "y",
        ),
        (("<|channel|>", "final", "<|message|>", "y"), "y"),
        (("<think>", "the tag ", "<tool_call>", " and", "</think>", "yes"), "yes"),
    ],
)
def test_thoughts_and_calls_are_left_out(tokens: tuple[str, ...], seen: str) -> None:
    assert answer(*tokens) == seen


def test_a_prompt_may_begin_the_thoughts() -> None:
    assert answer("hm", "</think>", "yes", prompt=("Hi", "<think>", "\n")) == "yes"
    assert answer("yes", prompt=("Hi", "<think>", "\n", "\n", "</think>", "\n")) == "yes"
    assert answer("yes", prompt=("<think>", *"0123456789")) == "yes", "a question may be about the tag"


def test_a_delimiter_of_ones_own() -> None:
    assert answer("hm", "#", "#", "yes", "#", "#", "no", after="##") == "yes##no"
    assert answer("hm", after="##") == ""


def test_the_next_token_is_the_answers_or_not() -> None:
    read = AnswerIds(Delimiters(TOKENIZER))
    said = []
    for token in ids_of("a", "<think>", "b", "</think>", "c"):
        said.append(read.is_open)
        read.append(token)
    assert said == [True, True, False, False, True]


def test_a_copy_goes_on_by_itself() -> None:
    read = AnswerIds(Delimiters(TOKENIZER), (), ids_of("<think>", "a"))
    other = read.copy()
    for token in ids_of("</think>", "yes"):
        other.append(token)
    assert list(read) == []
    assert not read.is_open
    assert list(other) == ids_of("yes")


def test_lists_of_an_engine_are_read_on() -> None:
    """They grow, end with placeholders, and may be replaced by shorter ones."""
    source = ids_of("<think>", "a")
    read = AnswerIds(Delimiters(TOKENIZER), (), source)
    source += [*ids_of("</think>", "yes"), -1]
    assert not read.read()
    assert list(read) == ids_of("yes")
    source[-1:] = ids_of("!")
    assert read.read()
    assert list(read) == ids_of("yes", "!")
    del source[1:]
    assert read.read()
    assert list(read) == []
    assert not read.is_open


@given(st.lists(st.sampled_from([*FIRST, *PIECES, "a", "é"]), max_size=12), st.randoms(use_true_random=False))
def test_how_a_text_is_cut_does_not_matter(words: list[str], chance: random.Random) -> None:
    """Tokens that spell delimiters in pieces hide what the delimiters hide, up to what a token joins."""
    whole, cut = ids_of(*words), list[int]()
    for word in words:
        split = list(word) if chance.random() < 0.5 else [word]
        cut += ids_of(*split)
    if any(len(word) > 1 and "\n" in word for word in words):
        return  # a token that holds the end of a delimiter is not the answer's, one of what follows is
    one, other = (AnswerIds(Delimiters(TOKENIZER), (), ids) for ids in (whole, cut))
    decode = TOKENIZER.decode
    assert decode(list(one), skip_special_tokens=False) == decode(list(other), skip_special_tokens=False)
    assert one.is_open == other.is_open
