"""What a mark costs in speculative decoding: tokens per call of the target model, and per second.

``python -m benchmarks.drafts [--texts N] [-o FILE]`` has transformers' assisted generation write each text
once without a mark and once with each, under a key drawn for the text. Drafts come from a copy of the model
with Gaussian noise on its weight matrices (``model``), or from the text before (``n-gram``, transformers'
prompt lookup). ``greedy`` counts what vLLM's second runner would accept by default, of texts written without
drafts: its drafter takes the likeliest token and knows no mark, and a draft is kept where the text has it.
Rows: tokens per call, tokens per CPU second, and both over those of unmarked text, with 95 %
intervals over texts: prompts and keys.

transformers 5.23 divides the drafter's logits by the temperature twice. Marks that choose tokens do it once,
so a row "no mark, once" has unmarked text by a processor that does it once for both models.
"""

from __future__ import annotations

import argparse
import copy
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from stela_models.load import load_model
from transformers import LogitsProcessor

import stela_core as stela
from benchmarks.shown import Shown
from benchmarks.texts import registry

ONCE = "no mark, once"
SCHEMES = ("no mark", ONCE, "kgw", "stela", "gumbel", "synthid", "coupling")
OPTIONS: dict[str, dict[str, Any]] = {"stela": {"tagger": "penn"}}
TEMPERATURES = (1.0, 0.7)
DRAFTS = {"model": 4, "n-gram": 4, "greedy": 4}
"""Drafts a call, by where they come from."""
NOISE = 0.12
"""Standard deviation of the noise, of that of each weight matrix."""
TOKENS = 100
PROMPTS = (
    "The history of the city",
    "When the train left the station, she",
    "The recipe needs two cups of",
    "Scientists at the university have found that",
    "The second half of the match began with",
    "In the first chapter of the book,",
    "The company said on Monday that its",
    "Dear members of the committee,",
    "The river rises in the mountains and",
    "To install the program, first open the",
    "My grandmother used to tell us about",
    "The law that parliament passed last year",
)


class Temperature(LogitsProcessor):
    """Logits over the temperature: transformers adds its own warper to a drafter's that it knows."""

    def __init__(self, temperature: float) -> None:
        self._temperature = temperature

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        """Scores (rows, width) over the temperature."""
        return scores / self._temperature  # type: ignore[return-value]


class Cost(NamedTuple):
    """What one text took."""

    tokens: int
    calls: int
    """Of the target model."""
    seconds: float
    """Of CPU, on one thread."""


class Writer:
    """The target model, and how it is asked.

    Args:
        name: alias or folder of the model.
        noise: of the drafter's weights.
    """

    def __init__(self, name: str, noise: float = NOISE) -> None:
        self.name = name
        language_model = load_model(registry(), name)
        self.model: Any = language_model.model
        self.tokenizer = language_model.tokenizer
        self.drafter = noisy(self.model, noise)
        self.calls = 0
        self.model.register_forward_hook(self._count)

    def _count(self, *_: object) -> None:
        self.calls += 1

    def write(
        self, prompt: str, scheme: str, key: int, temperature: float, drafts: str, tokens: int = TOKENS
    ) -> Cost:
        """One text of so many tokens; the drafter has the processors of the target."""
        ids = self.tokenizer([prompt], return_tensors="pt").input_ids
        given: dict[str, Any] = {
            "model": {"assistant_model": self.drafter},
            "n-gram": {"prompt_lookup_num_tokens": DRAFTS["n-gram"]},
            "greedy": {},
        }[drafts]
        if scheme == ONCE:
            given["logits_processor"], temperature = [Temperature(temperature)], 1.0
        elif scheme != "no mark":
            made = stela.create(
                scheme, model=self.name, key=key, registry=registry(), **OPTIONS.get(scheme, {})
            )
            given["logits_processor"] = [made.logits_processor()]
        torch.manual_seed(key % 2**63)
        before, began = self.calls, time.process_time()
        out = self.model.generate(
            ids,
            do_sample=True,
            temperature=temperature,
            top_k=0,
            top_p=1.0,
            max_new_tokens=tokens,
            suppress_tokens=[self.model.generation_config.eos_token_id],
            **given,
        )
        spent = time.process_time() - began
        if drafts == "greedy":
            return Cost(tokens, self._greedy_calls(out, tokens), spent)
        return Cost(out.shape[1] - ids.shape[1], self.calls - before, spent)

    def _greedy_calls(self, ids: torch.Tensor, tokens: int) -> int:
        """Calls of the target that write the last ``tokens`` of ids (1, length), from greedy drafts."""
        logits = self.drafter(ids).logits[0, -tokens - 1 : -1]
        logits[:, self.model.generation_config.eos_token_id] = -torch.inf
        right = (logits.argmax(-1) == ids[0, -tokens:]).tolist()
        place, calls = 0, 0
        while place < tokens:
            accepted = 0
            while accepted < DRAFTS["greedy"] and place + accepted < tokens and right[place + accepted]:
                accepted += 1
            place, calls = place + accepted + 1, calls + 1
        return calls


def noisy(model: Any, sd: float) -> Any:
    """A copy that drafts: noise of so many standard deviations on each weight matrix."""
    drafter = copy.deepcopy(model)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in drafter.parameters():
            if weight.ndim > 1:
                weight += sd * weight.std() * torch.randn(weight.shape, generator=generator).to(weight)
    config = drafter.generation_config
    config.num_assistant_tokens = DRAFTS["model"]
    config.num_assistant_tokens_schedule = "constant"
    config.assistant_confidence_threshold = 0.0
    return drafter


def ratio(own: np.ndarray, other: np.ndarray) -> tuple[float, float, float]:
    """A ratio of means of texts, and its 95 % interval by drawing texts anew.

    Args:
        own: (texts, 2): what was got, and for what.
        other: the same of unmarked texts of the same prompts; ``1`` for none.
    """
    chosen = np.random.default_rng(1).integers(0, len(own), (4000, len(own)))
    chosen = np.concatenate([np.arange(len(own))[None], chosen])

    def rate(of: np.ndarray) -> np.ndarray:
        summed = of[chosen].sum(1)
        rates: np.ndarray = summed[:, 0] / summed[:, 1]
        return rates

    drawn = rate(own) / rate(other)
    low, high = np.quantile(drawn[1:], [0.025, 0.975])
    return float(drawn[0]), float(low), float(high)


def rows_of(writer: Writer, args: argparse.Namespace) -> Iterator[list[str]]:
    """A row for each kind of drafts, temperature and scheme."""
    keys = [int(key) for key in np.random.default_rng(args.seed).integers(1, 2**62, args.texts)]
    schemes = ["no mark", *(name for name in args.schemes.split(";") if name != "no mark")]
    for drafts in args.drafts.split(","):
        for temperature in map(float, args.temperatures.split(",")):
            costs: dict[str, list[Cost]] = {scheme: [] for scheme in schemes}
            for scheme in schemes:  # compiles what it needs
                writer.write(PROMPTS[0], scheme, keys[0], temperature, drafts, 8)
            for number, key in enumerate(keys):
                prompt = PROMPTS[number % len(PROMPTS)]
                for scheme in schemes:  # in turn: other work on the machine meets all of them
                    costs[scheme].append(writer.write(prompt, scheme, key, temperature, drafts, args.tokens))
            table = {scheme: np.array(of, dtype=float) for scheme, of in costs.items()}
            plain, ones = table["no mark"], np.ones((len(keys), 2))
            for scheme, own in table.items():
                calls, seconds = own[:, [0, 1]], own[:, [0, 2]]
                yield [
                    drafts,
                    f"{temperature:g}",
                    scheme,
                    shown(*ratio(calls, ones)),
                    shown(*ratio(calls, plain[:, [0, 1]])),
                    f"{ratio(seconds, ones)[0]:.0f}",
                    shown(*ratio(seconds, plain[:, [0, 2]])),
                ]


def shown(value: float, low: float, high: float) -> str:
    """A figure and its interval."""
    return f"{value:.2f} [{low:.2f}, {high:.2f}]"


HEAD = [
    "drafts",
    "temperature",
    "mark",
    "tokens a call",
    "over no mark's",
    "tokens a CPU second",
    "over no mark's, of time",
]


def main(table: Callable[[Writer, argparse.Namespace], Iterator[list[str]]] = rows_of) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.drafts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--model", default="tiny", help="alias or folder")
    parser.add_argument("--noise", type=float, default=NOISE, help="of the drafter's weights")
    parser.add_argument("--texts", type=int, default=48)
    parser.add_argument("--tokens", type=int, default=TOKENS)
    parser.add_argument("--schemes", default=";".join(SCHEMES), help="separated by ;")
    parser.add_argument("--drafts", default=",".join(DRAFTS))
    parser.add_argument("--temperatures", default=",".join(f"{one:g}" for one in TEMPERATURES))
    parser.add_argument("--seed", type=int, default=2026, help="of the keys")
    parser.add_argument("-o", "--output", type=Path, help="also write the rows to this CSV file")
    args = parser.parse_args()
    torch.set_num_threads(1)
    shown = Shown(HEAD, args.output)
    for row in table(Writer(args.model, args.noise), args):
        shown.add(row)


if __name__ == "__main__":
    main()
