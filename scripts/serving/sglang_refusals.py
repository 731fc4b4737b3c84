"""What SGLang's own classes, under the plugin, must refuse, and what they must agree on.

python -m scripts.serving.sglang_refusals MODEL PROFILE
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import torch

import stela_core as stela
from scripts.serving.sglang_start import scheduler, start
from scripts.serving.sglang_texts import Engine, request_of


def main(arguments: list[str]) -> None:
    model, profile = arguments
    start(model, {"STELA_PROFILE": profile})
    agree_on_the_processor()
    agree_on_truncation()
    refuse_at_the_start()
    refuse_requests()
    torch.manual_seed(0)
    late = request_of(90, [5, 6, 7])
    Engine(model, delays=False).run([late])
    require("steps that overlap", late.finished_reason.message, "the model was fed 4 tokens, and 3 are known")
    if len(late.output_ids) > 2:
        raise SystemExit(f"{len(late.output_ids)} tokens without a mark")


def agree_on_the_processor() -> None:
    """What is sent is what SGLang makes of the class, and comes back as it."""
    from sglang.srt.sampling.custom_logit_processor import CustomLogitProcessor
    from stela_sglang import PROCESSOR
    from stela_sglang.processor import Processor

    for text in (PROCESSOR, Processor.to_str()):
        if type(CustomLogitProcessor.from_str(text)) is not Processor:
            raise SystemExit(f"{text} is another class")


def agree_on_truncation() -> None:
    """The tokens that we leave are those that SGLang draws from."""
    from sglang.srt.layers.sampler import top_k_top_p_min_p_sampling_from_probs_torch as theirs
    from stela_sglang.drawing import ALL, Drawing

    logits = 3 * torch.randn(200, 300, generator=torch.Generator().manual_seed(1))
    for top_k, top_p, min_p in (
        (ALL, 0.9, 0.0),
        (7, 1.0, 0.0),
        (50, 0.8, 0.0),
        (40, 0.95, 0.05),
        (ALL, 1.0, 0.1),
    ):
        rows, ones = len(logits), torch.ones(len(logits))
        _, weights, order, _ = theirs(
            (logits / 0.8).softmax(-1),
            torch.full((rows,), top_k),
            top_p * ones,
            min_p * ones,
            min_p > 0,
            None,
            torch.zeros(rows),
            return_filtered_probs=True,
        )
        wanted = torch.zeros(logits.shape, dtype=torch.bool).scatter(-1, order.long(), weights > 0)
        ours = Drawing(0.8, top_k, top_p, min_p).final(logits).isfinite()
        if not torch.equal(ours, wanted):
            raise SystemExit(f"top_k {top_k}, top_p {top_p}, min_p {min_p}: other tokens are left")
    print("truncation is SGLang's")


def refuse_at_the_start() -> None:
    from sglang.srt.disaggregation.utils import DisaggregationMode
    from sglang.srt.environ import envs
    from sglang.srt.speculative.spec_info import SpeculativeAlgorithm

    for name in ("EAGLE", "NGRAM", "STANDALONE", "DFLASH"):
        drafts = SpeculativeAlgorithm.from_string(name)
        refused(
            name,
            "shows a logit processor no drafted tokens",
            partial(scheduler, spec_algorithm=drafts),
        )
    prefill = DisaggregationMode("prefill")
    refused("two servers", "made on two servers", lambda: scheduler(disaggregation_mode=prefill))
    refused("no tokenizer", "loads no tokenizer", lambda: scheduler(tokenizer=None))
    with envs.SGLANG_ENABLE_DELAY_SAMPLE.override(False):
        refused("no delay", "before the last token is known", scheduler)
        scheduler(enable_overlap=False)
    scheduler()


def refuse_requests() -> None:
    from sglang.srt.managers.io_struct import GenerateReqInput
    from sglang.srt.managers.tokenizer_manager import TokenizerManager

    manager = TokenizerManager.__new__(TokenizerManager)
    wishes: tuple[tuple[dict[str, Any], str | None, str], ...] = (
        ({"stela": "off"}, None, "this server marks all texts"),
        ({"stela": "none"}, None, 'there is no profile "none"'),
        ({}, '{"callable": "00"}', "runs no logit processors of its clients"),
    )
    for number, (custom, processor, said) in enumerate(wishes):
        params = {"custom_params": custom}
        asked = GenerateReqInput(
            input_ids=[5], rid=str(number), sampling_params=params, custom_logit_processor=processor
        )
        refused("HTTP 400", said, partial(manager._validate_one_request, asked, [5]))
        if processor is None:
            request = request_of(number, [5], custom_params=custom)
            require("a request by another way", request.to_finish.message, said)
            if request.custom_logit_processor is not None or request.to_finish.status_code != 400:
                raise SystemExit("it goes on")


def refused(what: str, said: str, call: Callable[[], Any]) -> None:
    try:
        call()
    except (stela.StelaError, ValueError) as error:
        require(what, str(error), said)
    else:
        raise SystemExit(f"{what}: not refused")


def require(what: str, message: str, said: str) -> None:
    if said not in message or "\n" in message:
        raise SystemExit(f"{what}: {message}")
    print(f"refused, {what}: {message}")


if __name__ == "__main__":
    main(sys.argv[1:])
