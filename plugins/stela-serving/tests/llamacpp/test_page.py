"""The block of docs/serving.md, on a stand-in for ``llama_cpp.Llama`` that calls processors as that does."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import stela_core as stela

PAGE = Path(__file__).parents[4] / "docs" / "serving.md"
WIDTH = 8200


class Llama:
    """As the class of that name: a processor's refusal is printed by ctypes, and no more."""

    def __init__(self, mark: stela.Watermark, skip: bool = False) -> None:
        self._mark = mark
        self._skip = skip
        self.draft_model = None

    def n_vocab(self) -> int:
        return WIDTH

    def detokenize(self, ids: list[int]) -> bytes:
        return b"".join(self._mark.tokens[index] for index in ids)

    def create_completion(self, prompt: str, max_tokens: int, logits_processor: list[Any]) -> dict[str, Any]:
        ids, rng = [5, 6, 7], np.random.default_rng(0)
        for _ in range(max_tokens):
            scores = rng.normal(0, 3, WIDTH).astype(np.single)
            scores[0] = -np.inf
            for processor in logits_processor:
                try:
                    scores = processor(np.array(ids, dtype=np.intc), scores)
                except stela.StelaError:
                    continue
            chances = np.exp(scores.astype(np.float64))
            ids += [int(rng.choice(WIDTH, p=chances / chances.sum()))] * (2 if self._skip else 1)
        return {"choices": [{"text": self._mark.tokens.decode(ids[3:])}]}


def test_the_block_marks(registry: stela.Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    [block] = [one for one in blocks if "stela_llamacpp" in one]
    monkeypatch.setitem(sys.modules, "llama_cpp", SimpleNamespace(LogitsProcessorList=list))  # type: ignore[arg-type]
    scope: dict[str, Any] = {}
    exec(block, scope)
    new = stela.create("kgw", model="tiny", key="public", registry=registry)
    new.save(tmp_path / "p.stela")
    mark = stela.load(tmp_path / "p.stela")
    assert mark.detect(scope["marked"](Llama(mark), "Once", tmp_path / "p.stela")).verdict == "watermarked"
    with pytest.raises(stela.StelaError, match="do not continue"):
        scope["marked"](Llama(mark, skip=True), "Once", tmp_path / "p.stela")
