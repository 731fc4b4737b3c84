"""The answer within an output: what the reader gets to see, without thoughts and calls of tools.

Reasoning models write their thoughts between delimiters, and calls of tools between others; a server hands
neither to the reader as text. A mark of the answer begins after the thoughts, and its contexts come from the
answer's tokens, so that the answer is found from its beginning wherever it was cut out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple


class Hidden(NamedTuple):
    """A part of an output that the reader does not get."""

    opens: str
    """The text that begins it; empty where the output begins with it."""
    closes: str
    """The text that ends it; empty where it goes on to the output's end."""


THOUGHTS = (
    Hidden("<think>", "</think>"),  # DeepSeek-R1, Qwen 3, QwQ, GLM 4.5, MiniMax M1
    Hidden("[THINK]", "[/THINK]"),  # Magistral
    Hidden("<seed:think>", "</seed:think>"),  # Seed-OSS
    Hidden("<|START_THINKING|>", "<|END_THINKING|>"),  # Command A Reasoning
    Hidden("<|channel|>", "<|channel|>final<|message|>"),  # gpt-oss (Harmony): all channels but the last
)
"""Thoughts in outputs of published chat templates."""
CALLS = (
    Hidden("<tool_call>", "</tool_call>"),  # Qwen, Hermes
    Hidden("[TOOL_CALLS]", ""),  # Mistral
    Hidden("<|python_tag|>", ""),  # Llama 3.1
    Hidden("<|START_ACTION|>", "<|END_ACTION|>"),  # Command A
    Hidden("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),  # Kimi K2
    Hidden("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),  # DeepSeek-V3
)
"""The same of tools."""
PROMPT_TOKENS = 8
"""Last tokens of a prompt that may begin the thoughts: a chat template may end with ``<think>``."""


class Delimiters:
    """Which parts are hidden, in one model's tokens.

    Delimiters are looked for in the text of the tokens, not in their ids, for a tokenizer may join the last
    character of one with what follows it.

    Args:
        tokenizer: the model's, of tokenizers or transformers.
        after: the delimiter that the answer follows; ``None`` for those of published chat templates.
    """

    def __init__(self, tokenizer: Any, after: str | None = None) -> None:
        self.hidden = (*(THOUGHTS if after is None else (Hidden("", after),)), *CALLS)
        self.first = None if after is None else self.hidden[0]
        """What an output begins with, where that does not turn on the prompt."""
        texts = [text for part in self.hidden for text in part if text]
        self.longest = max(map(len, texts))
        self.lasts = frozenset(text[-1] for text in texts)
        """The characters that a delimiter may end with."""
        self._decode: Callable[..., str] = tokenizer.decode
        self._texts: dict[int, str] = {}

    def text(self, token: int) -> str:
        """A token by itself, delimiters included."""
        known = self._texts.get(token)
        if known is None:
            known = self._texts[token] = self._decode([token], skip_special_tokens=False)
        return known


class AnswerIds(Sequence[int]):
    """The ids of one output that are the answer's, as its tokens come.

    Args:
        delimiters: of the model.
        prompt: ids of the prompt, or the last of them.
        source: the output so far: a list that an engine puts tokens behind, and :meth:`read` reads. Tokens
            of another output are handed over by :meth:`append`.
    """

    def __init__(
        self, delimiters: Delimiters, prompt: Iterable[int] = (), source: Sequence[int] = ()
    ) -> None:
        self._delimiters = delimiters
        self._source = source
        self._prompt = list(prompt)[-PROMPT_TOKENS:]
        self._begin()
        self.read()

    def _begin(self) -> None:
        self._within = self._delimiters.first
        """The hidden part that the next token lies in."""
        self._ids: list[int] = []
        self._tail: list[str] = []
        """Texts of the last tokens of this part, as many as a delimiter may span."""
        self._last: tuple[int, int] = (0, -1)
        """How many tokens of the list were read, and the last of them."""
        for token in self._prompt:
            self.append(token)
        self._ids.clear()

    def __len__(self) -> int:
        return len(self._ids)

    def __getitem__(self, index: Any) -> Any:
        return self._ids[index]

    @property
    def is_open(self) -> bool:
        """Whether the next token is the answer's, as far as the output tells."""
        return self._within is None

    def copy(self) -> AnswerIds:
        """Another output that goes on from here; its tokens are handed over."""
        other = AnswerIds(self._delimiters, self._prompt)
        other._within, other._ids, other._tail = self._within, self._ids[:], self._tail[:]
        return other

    def read(self) -> bool:
        """Take what the engine's list has grown by; ``False`` where its last token is not known yet.

        A list that got shorter, or whose last token is another one, is read from its beginning.
        """
        source, (length, last) = self._source, self._last
        if len(source) < length or (length and source[length - 1] != last):
            self._begin()
            length = 0
        for token in source[length:]:
            if token < 0:
                return False
            length += 1
            self.append(int(token))
            self._last = length, int(token)
        return True

    def append(self, token: int) -> None:
        """Take the next token of the output."""
        text = self._delimiters.text(token)
        if self._within is None:
            self._ids.append(token)
        self._tail.append(text)
        if not self._delimiters.lasts.isdisjoint(text):
            self._look()
        while len(self._tail) > 1 and sum(map(len, self._tail[1:])) >= self._delimiters.longest:
            del self._tail[0]

    def _look(self) -> None:
        """Find the delimiter that the last token ends: a part begins, or the answer goes on."""
        tail = "".join(self._tail)
        if self._within is not None:
            closes = self._within.closes
            if closes and closes in tail:
                self._within = None
                self._tail.clear()
            return
        opened = [(tail.rfind(part.opens), part) for part in self._delimiters.hidden if part.opens]
        place, part = max(opened, key=lambda one: one[0])
        if place < 0:
            return
        self._within = part
        while self._tail and len("".join(self._tail)) > place:
            del self._tail[-1]
            del self._ids[-1:]
        # What closes a part may begin with what opens it.
        self._tail = [tail[place:]]
        if part.closes and part.closes in tail[place:]:
            self._within = None
            self._tail.clear()
