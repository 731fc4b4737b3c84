"""Marked texts by SGLang's own classes, on a processor without a GPU.

    python -m scripts.serving.sglang_texts MODEL PROFILE OUT.jsonl PROMPT..

Its settings, plugin hooks, requests, batches (joined, filtered), logits processors and sampler are run, as
its scheduler runs them; the model's pass is transformers', and the scheduler's loop is written out here,
with the next step launched before the last one's tokens are known to the requests.
"""

from __future__ import annotations

import gc
import json
import sys
from array import array
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import torch
from transformers import AutoModelForCausalLM

from scripts.serving.sglang_start import sampler, start

TOKENS = 161
"""Of each text; the last one's weight is not recorded, for no step comes after it."""
JOIN = 3
"""Requests that come at a time, each so many steps after the others."""


def main(arguments: list[str]) -> None:
    model, profile, out, *prompts = arguments
    record = Path(out).with_suffix(".weights")
    record.unlink(missing_ok=True)
    scheduler = start(model, {"STELA_PROFILE": profile, "STELA_RECORD": str(record)})
    torch.manual_seed(0)
    engine = Engine(model)
    requests = [
        request_of(number, scheduler.tokenizer(text).input_ids) for number, text in enumerate(prompts)
    ]
    texts = [request.output_ids for request in requests]
    engine.run(requests)
    del requests
    gc.collect()
    lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    with Path(out).open("w", encoding="utf-8") as file:
        for prompt, ids in zip(prompts, texts, strict=True):
            known = list(ids)[: TOKENS - 1]
            [line] = [line for line in lines if line["ids"] == known]
            text = scheduler.tokenizer.decode(known)
            file.write(json.dumps({"prompt": prompt, "text": text, **line}) + "\n")


def request_of(number: int, ids: list[int], **params: Any) -> Any:
    """A ``Req`` as the scheduler makes it; the plugin's hook sees it."""
    from sglang.srt.managers.schedule_batch import Req
    from sglang.srt.sampling.sampling_params import SamplingParams

    own = SamplingParams(max_new_tokens=TOKENS, **{"top_p": (1.0, 0.97)[number % 2], **params})
    own.normalize(None)
    return Req(str(number), "", array("q", ids), own, vocab_size=1 << 20)


class Batch:
    """What a sampler's penalties look at of SGLang's ``ScheduleBatch``."""

    def __init__(self, requests: list[Any]) -> None:
        self.reqs = requests
        self.device = "cpu"


def batch_of(requests: list[Any], width: int) -> tuple[Any, Batch]:
    """``SamplingBatchInfo`` of requests that join, and what it refers to weakly."""
    from sglang.srt.sampling.sampling_batch_info import SamplingBatchInfo

    batch = Batch(requests)
    return SamplingBatchInfo.from_schedule_batch(batch, width), batch


class Engine:
    """A model under SGLang's sampler.

    Args:
        folder: of the model.
        delays: steps are sampled once the last one's tokens are known, as the plugin sets SGLang.
    """

    def __init__(self, folder: str, delays: bool = True) -> None:
        self._model = cast(Any, AutoModelForCausalLM.from_pretrained(folder))
        self._width = int(self._model.get_output_embeddings().weight.shape[0])
        self._sampler = sampler()
        self._delays = delays
        self._caches: dict[str, Any] = {}

    @torch.inference_mode()
    def run(self, requests: list[Any]) -> None:
        """Until all have ended."""
        waiting, running = list(requests), list[Any]()
        info: Any = None
        keep: list[Any] = []
        fed: dict[str, list[int]] = {}
        pending: list[tuple[Any, int]] = []
        steps = 0
        while waiting or running or pending:
            if waiting and steps % 5 == 0:
                new, waiting = waiting[:JOIN], waiting[JOIN:]
                own, batch = batch_of(new, self._width)
                keep.append(batch)
                for request in new:
                    fed[request.rid] = list(request.origin_input_ids)
                    request.kv.kv_committed_len = len(fed[request.rid])
                if info is None:
                    info = own
                else:
                    info.merge_batch(own)
                for request in running:
                    request.kv.kv_committed_len += 1
                running = running + new
            else:
                for request in running:
                    request.kv.kv_committed_len += 1
            logits = torch.cat([self._forward(request, fed[request.rid]) for request in running])
            if self._delays:
                take(pending)
                drawn = self._draw(logits, info)
            else:
                drawn = self._draw(logits, info)
                take(pending)
            pending = list(zip(running, drawn, strict=True))
            for request, token in pending:
                fed[request.rid] = [token]
            stay = [row for row, request in enumerate(running) if not request.finished()]
            if len(stay) < len(running):
                running = [running[row] for row in stay]
                if running:
                    info.filter_batch(stay, torch.tensor(stay))
                else:
                    info = None
            if not running:
                take(pending)
                pending = []
            steps += 1

    def _forward(self, request: Any, ids: list[int]) -> torch.Tensor:
        cache = self._caches.get(request.rid)
        done = self._model(torch.tensor([ids]), past_key_values=cache, use_cache=True)
        self._caches[request.rid] = done.past_key_values
        logits: torch.Tensor = done.logits[:, -1].float()
        logits[:, 0] = -torch.inf  # texts of one length
        return logits

    def _draw(self, logits: torch.Tensor, info: Any) -> list[int]:
        step = info.copy_for_forward()
        step.apply_logits_bias(logits)
        out = SimpleNamespace(next_token_logits=logits)
        drawn: list[int] = self._sampler(out, step, False, [], [], torch.zeros(len(logits))).tolist()
        return drawn


def take(pending: list[tuple[Any, int]]) -> None:
    """The last step's tokens come to their requests."""
    for request, token in pending:
        if not request.finished():
            request.output_ids.append(token)
            request.update_finish_state()


if __name__ == "__main__":
    main(sys.argv[1:])
