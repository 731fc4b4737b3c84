"""Samples of files; those of datasets are in test_hf_corpus.py."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from stela_corpora.corpus import Corpus
from stela_corpora.named import open_corpus
from stela_corpora.sampled import Sampled

from stela_core.errors import StelaError


def test_every_document_is_as_likely(tmp_path: Path) -> None:
    file = tmp_path / "c.jsonl"
    file.write_text("".join(json.dumps({"text": str(n)}) + "\n" for n in range(10)))
    drawn = [0] * 10
    for seed in range(1000):
        for text in Sampled(Corpus(file), 3, seed):
            drawn[int(text)] += 1
    # Each is binomial(1000, 0.3): mean 300, standard deviation 14.5; 5 of them either way.
    assert all(228 <= count <= 372 for count in drawn)
    whole = Sampled(Corpus(file), 30)
    assert list(whole) == [str(n) for n in range(10)]
    assert whole.position == whole.size == 2 * file.stat().st_size


def test_sample_of_a_file_with_bad_lines_counts_all_of_them(tmp_path: Path) -> None:
    file = tmp_path / "c.jsonl"
    file.write_text('{"text": "a"}\nbad\n{"text": "b"}\nbad\n')
    sample = open_corpus(file, skip_bad=True, documents=1)
    assert len(list(sample)) == 1
    assert sample.bad == 2
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(StelaError, match="it is a pipe"):
            open_corpus(tmp_path / "pipe", documents=1)
