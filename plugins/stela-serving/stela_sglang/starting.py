"""What is looked at before the first request: how SGLang is set to decode.

Where processors are called was read in SGLang 0.5.23, under ``sglang/srt``:

- ``layers/sampler.py:143``, ``Sampler._preprocess_logits``: once a step, after penalties, grammars and
  ``logit_bias``, before temperature and truncation.
- ``managers/scheduler.py:2061``, ``event_loop_overlap``: the next step is launched before the last one's
  tokens are put behind ``output_ids``. It is sampled in that launch, one token too early for us, unless
  ``managers/tp_worker.py:719`` delays sampling: for grammars, or where ``SGLANG_ENABLE_DELAY_SAMPLE`` is
  set, which :mod:`stela_sglang.plugin` does. ``texts.py`` looks at each row whether its text is known to
  its end.
- ``speculative/eagle_utils.py:530`` (EAGLE, EAGLE3, STANDALONE, NGRAM): drafts are verified without
  processors. ``speculative/dflash_utils.py:229``, ``dspark_components/dspark_verify.py:95``: processors are
  called, and shown no drafts. ``speculative/uno_worker_v2.py:272``: refused by SGLang.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from stela_serving.profiles import bits_by_name, samples_by_name
from stela_serving.settings import ServerSettings

import stela_core as stela

BUILT_IN = ("flashinfer", "pytorch", "ascend", "intel_xpu")
"""SGLang's ``BUILT_IN_SAMPLING_BACKENDS``."""


class Start(NamedTuple):
    """How a server was started; :meth:`of` reads it off SGLang's scheduler."""

    has_processors: bool
    marks: bool
    """Whether it marks by SGLang's own watermark, which any request may ask for."""
    drafts: bool
    overlaps: bool
    delays: bool
    is_one_server: bool
    is_autoregressive: bool
    backend: str | None
    warms_up: bool
    has_tokenizer: bool

    @classmethod
    def of(cls, scheduler: Any) -> Start:
        """Read off a ``Scheduler``."""
        from sglang.srt.environ import envs
        from sglang.srt.runtime_context import get_exec, get_serving

        return cls(
            has_processors=get_exec().features.enable_custom_logit_processor,
            marks=get_exec().features.enable_watermark,
            drafts=not scheduler.spec_algorithm.is_none(),
            overlaps=scheduler.enable_overlap or scheduler.enable_overlap_mlx,
            delays=scheduler.enable_overlap and envs.SGLANG_ENABLE_DELAY_SAMPLE.get(),
            is_one_server=scheduler.disaggregation_mode.value == "null",
            is_autoregressive=getattr(scheduler, "dllm_config", None) is None,
            backend=get_exec().kernel.sampling_backend,
            warms_up=not get_serving().skip_server_warmup,
            has_tokenizer=scheduler.tokenizer is not None,
        )


def require_right_start(start: Start, settings: ServerSettings) -> None:
    """Refuse what would leave texts unmarked, or marked twice.

    Raises:
        stela.StelaError: it would.
    """
    refusals = {
        "SGLang is not set to call logit processors.": (
            not start.has_processors,
            "add --enable-custom-logit-processor",
        ),
        "SGLang's own watermark is on, and a text can carry only one mark.": (
            start.marks,
            "leave --enable-watermark out, or STELA_PROFILE",
        ),
        "speculative decoding is on, and SGLang shows a logit processor no drafted tokens.": (
            start.drafts,
            "leave --speculative-algorithm out",
        ),
        "SGLang samples before the last token is known here.": (
            start.overlaps and not start.delays,
            "leave SGLANG_ENABLE_DELAY_SAMPLE to this plugin, or add --disable-overlap-schedule",
        ),
        "prompts and texts are made on two servers, where marks were not tried.": (
            not start.is_one_server,
            "leave --disaggregation-mode out",
        ),
        "texts of a diffusion model are not made from left to right.": (
            not start.is_autoregressive,
            "leave --dllm-algorithm out",
        ),
        f'the sampling backend "{start.backend}" is not SGLang\'s own.': (
            start.backend is not None and start.backend not in BUILT_IN,
            f"take one of {', '.join(BUILT_IN)}",
        ),
        "SGLang loads no tokenizer, so that nothing says whether the profile goes with the model.": (
            not start.has_tokenizer,
            "leave --skip-tokenizer-init out",
        ),
        "SGLang's warm-up is a greedy request without profile and message, which would be refused.": (
            start.warms_up and _refuses_warm_up(settings),
            "add --skip-server-warmup",
        ),
    }
    for message, (is_so, hint) in refusals.items():
        if is_so:
            raise stela.StelaError(message, hint)


def _refuses_warm_up(settings: ServerSettings) -> bool:
    if not settings.marks_unasked:
        return False
    bits = bits_by_name(settings).values()
    return len(settings.profiles) > 1 or any(samples_by_name(settings).values()) or any(bits)
