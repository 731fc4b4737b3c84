"""Libraries that only some metrics need are looked for before a run begins."""

from __future__ import annotations

import sys
from typing import Any

import pytest
import stela_run
from stela_run.testing.preflights import Everything

import stela_core as stela


@pytest.mark.parametrize(
    ("name", "parameters", "library", "extra"),
    [
        ("quality-samples", {}, "nltk", "quality"),
        ("reference-bleu", {}, "sacrebleu", "reference"),
        ("reference-chrf", {}, "sacrebleu", "reference"),
        ("reference-rouge", {}, "torchmetrics", "reference"),
        ("reference-bertscore", {"model": "tiny"}, "torchmetrics", "reference"),
        ("reference-mauve", {"model": "tiny"}, "sklearn", "reference"),
        ("judge", {"model": "any"}, "httpx", "judge"),
    ],
)
def test_a_missing_library_is_one_line(
    registry: stela.Registry,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    parameters: dict[str, Any],
    library: str,
    extra: str,
) -> None:
    kind = registry.get(stela_run.Metric, name)
    metric = kind(kind.Parameters(**parameters))
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(stela.MissingLibraryError, match=rf'hint: pip install "stela-metrics\[{extra}\]"$'):
        metric.check(Everything())
