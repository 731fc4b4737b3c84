"""vLLM's own interfaces as JSON, by the Python that has vLLM: ``python scripts/serving/vllm_shapes.py``.

The plugin's tests run on stand-ins for them; ``make test-vllm`` holds the two together.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from vllm import SamplingParams
from vllm.v1.sample.logits_processor import BatchUpdate, MoveDirectionality
from vllm.v1.sample.logits_processor import _load_custom_logitsprocs as load_rows
from vllm.v1.worker.gpu.sample.logits_processor import LogitsContext, LogitsProcRequestState
from vllm.v1.worker.gpu.sample.logits_processor.loader import _load_v2_logitsprocs as load_slots

PROCESSOR = "stela_vllm:Processor"


def fields(of: Any) -> list[str]:
    """Names of a dataclass's fields."""
    return [field.name for field in dataclasses.fields(of)]


def main() -> None:
    params = SamplingParams()
    shapes = {
        "BatchUpdate": fields(BatchUpdate),
        "LogitsContext": fields(LogitsContext),
        "states": fields(LogitsProcRequestState),
        "MoveDirectionality": [one.name for one in MoveDirectionality],
        "SamplingParams": {
            name: getattr(params, name)
            for name in dir(params)
            if isinstance(getattr(params, name), bool | int | float | None) and not name.startswith("_")
        },
        "loaded": [
            [one.__name__ for one in load([PROCESSOR])]  # a class that is none of theirs is refused
            for load in (load_rows, load_slots)
        ],
    }
    print(json.dumps(shapes))


if __name__ == "__main__":
    main()
