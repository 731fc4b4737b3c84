"""Tiny models of the real classes, with random weights, in folders laid out as on the hub."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

TEXT = """The city lies on the river. Many people live in the old town, and few of them own a car!
Is it far? It is not far from here. In spring the water is high and the bridges are closed for a day or two.
lexical = 60, order = 100 <sent> Some say that the mayor wants a new bridge. </sent> Nobody knows why.
Alle Menschen sind frei und gleich an Würde und Rechten geboren. Wer weiß das schon genau?"""


def _sentencepiece(folder: Path, name: str, ids: dict[str, int]) -> None:
    import sentencepiece

    stored = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXT.split("\n") * 4),
        model_writer=stored,
        vocab_size=160,
        hard_vocab_limit=False,
        bos_id=-1,
        minloglevel=2,
        **ids,
    )
    (folder / name).write_bytes(stored.getvalue())


@pytest.fixture(scope="session")
def t5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A T5 of version 1.1 (gated GELU, own output layer), its tokenizer a ``spiece.model`` alone."""
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    folder = tmp_path_factory.mktemp("t5")
    _sentencepiece(folder, "spiece.model", {"pad_id": 0, "eos_id": 1, "unk_id": 2})
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "T5Tokenizer", "extra_ids": 0}), encoding="utf-8"
    )
    torch.manual_seed(5)
    config = T5Config(
        vocab_size=192,
        d_model=32,
        d_kv=8,
        d_ff=64,
        num_layers=2,
        num_heads=4,
        feed_forward_proj="gated-gelu",
        tie_word_embeddings=False,
        initializer_factor=2.0,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=1,
    )
    T5ForConditionalGeneration(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def marian(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Marian as OPUS-MT publishes them: two sentencepiece models and one vocabulary."""
    import sentencepiece
    import torch
    from transformers import MarianConfig, MarianMTModel

    folder = tmp_path_factory.mktemp("marian")
    _sentencepiece(folder, "source.spm", {"pad_id": -1, "eos_id": 1, "unk_id": 0})
    shutil.copy(folder / "source.spm", folder / "target.spm")
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "source.spm"))
    names = ["</s>", "<unk>", *(pieces.id_to_piece(number) for number in range(2, len(pieces))), "<pad>"]
    (folder / "vocab.json").write_text(
        json.dumps({name: n for n, name in enumerate(names)}), encoding="utf-8"
    )
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "MarianTokenizer", "source_lang": "en", "target_lang": "de"}),
        encoding="utf-8",
    )
    pad = len(names) - 1
    torch.manual_seed(5)
    config = MarianConfig(
        vocab_size=len(names),
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        max_position_embeddings=128,
        init_std=0.5,
        pad_token_id=pad,
        eos_token_id=0,
        decoder_start_token_id=pad,
        forced_eos_token_id=0,
        bad_words_ids=[[pad]],
    )
    MarianMTModel(config).save_pretrained(folder)
    return folder


def _masked(folder: Path, config: Any, kind: str) -> Path:
    import torch
    import transformers

    torch.manual_seed(5)
    getattr(transformers, kind)(config).save_pretrained(folder)
    return folder


def _sizes(vocabulary: int) -> dict[str, Any]:
    return {
        "vocab_size": vocabulary,
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 64,
        "max_position_embeddings": 130,
        "initializer_range": 0.5,
    }


@pytest.fixture(scope="session")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT: word pieces, and a vocabulary in a file."""
    from transformers import BertConfig

    folder = tmp_path_factory.mktemp("bert")
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = sorted({word.strip(".,!?<>=").lower() for word in TEXT.split()} - {""})
    pieces = [*"abcdefghijklmnopqrstuvwxyz.,!?", *(f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz")]
    pieces += ["城", "市", "很", "大", "도시는", "크다"]
    names = [*special, *dict.fromkeys([*words, *pieces])]
    (folder / "vocab.txt").write_text("\n".join(names) + "\n", encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "BertTokenizer", "do_lower_case": True}), encoding="utf-8"
    )
    return _masked(folder, BertConfig(**_sizes(len(names)), pad_token_id=0), "BertForMaskedLM")


@pytest.fixture(scope="session")
def roberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An XLM-RoBERTa: its tokenizer a sentencepiece model alone."""
    import sentencepiece
    from transformers import XLMRobertaConfig, XLMRobertaTokenizer

    folder = tmp_path_factory.mktemp("roberta")
    _sentencepiece(folder, "sentencepiece.bpe.model", {"pad_id": -1, "eos_id": 2, "unk_id": 0})
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "sentencepiece.bpe.model"))
    vocabulary = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    vocabulary += [(pieces.id_to_piece(n), pieces.get_score(n)) for n in range(3, len(pieces))]
    vocabulary += [("<mask>", 0.0)]
    XLMRobertaTokenizer(vocab=vocabulary).save_pretrained(folder)
    config = XLMRobertaConfig(**_sizes(len(vocabulary)), pad_token_id=1, bos_token_id=0, eos_token_id=2)
    return _masked(folder, config, "XLMRobertaForMaskedLM")
