"""Many clients of a server at once: what they ask for, and what they get."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from scripts.serving.vllm_server import Answer, Server

PROMPTS = {
    "en": ("The history of the city", "One day in the spring", "The river runs through"),
    "zh": ("这座城市的历史", "春天的一天", "这条河流经过"),
    "ko": ("이 도시의 역사는", "어느 봄날", "그 강은"),
}
LENGTHS = (120, 160, 200, 240)


class Asked(NamedTuple):
    """What a client asks for."""

    number: int
    profile: str | None
    language: str
    streamed: bool

    def body(self, model: str) -> dict[str, Any]:
        """What is posted; no seed, which ends vLLM 0.32 on a CPU where a prompt comes in chunks."""
        prompts = PROMPTS[self.language]
        prompt = prompts[self.number % len(prompts)]
        if self.number % 4 == 0:
            prompt = " ".join([prompt] * 30)  # a prefix that many share
        return {
            "model": model,
            "prompt": prompt,
            "max_tokens": LENGTHS[self.number % len(LENGTHS)],
            "min_tokens": LENGTHS[0],
            "temperature": 1.0,
            "top_p": (1.0, 0.97)[self.number % 2],
            "return_token_ids": True,
            "stream": self.streamed,
            **({} if self.profile is None else {"vllm_xargs": {"stela": self.profile}}),
        }


class Text(NamedTuple):
    """What a client got."""

    asked: Asked
    text: str
    ids: list[int]


def clients(count: int, profiles: Sequence[str | None]) -> list[Asked]:
    """So many, with languages and profiles in turn; ``{language}`` stands for a client's own."""
    languages = list(PROMPTS)
    asked = []
    for number in range(count):
        language, profile = languages[number % 3], profiles[number % len(profiles)]
        own = None if profile is None else profile.format(language=language)
        asked.append(Asked(number, own, language, number % 5 == 0))
    return asked


def all_at_once(server: Server, model: str, asked: list[Asked]) -> list[Text]:
    """The texts of all clients, who ask at the same time."""
    began = time.monotonic()
    with ThreadPoolExecutor(len(asked)) as pool:
        answers = list(pool.map(lambda one: server.ask("/v1/completions", one.body(model)), asked))
    texts = [text_of(one, answer) for one, answer in zip(asked, answers, strict=True)]
    tokens = sum(len(text.ids) for text in texts)
    print(f"{len(texts)} clients, {tokens} tokens in {time.monotonic() - began:.0f} s", flush=True)
    return texts


def text_of(asked: Asked, answer: Answer) -> Text:
    if answer.status != 200:
        raise SystemExit(f"HTTP {answer.status}: {answer.body}")
    parts = answer.json if asked.streamed else [answer.json]
    if any("choices" not in part for part in parts):
        raise SystemExit(f"an error in the stream: {answer.body}")
    choices = [part["choices"][0] for part in parts if part["choices"]]
    ids = [token for choice in choices for token in choice.get("token_ids") or ()]
    return Text(asked, "".join(choice["text"] for choice in choices), ids)
