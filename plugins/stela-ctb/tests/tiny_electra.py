"""A pair of HanLP's transformer components over a tiny ELECTRA, saved as HanLP saves them, not trained.

The same classes and files as CTB9_POS_ELECTRA_SMALL and COARSE_ELECTRA_SMALL_ZH.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ctb_texts import SENTENCES

TAGS = ["NN", "VV", "PU", "NR", "AD"]


def save_pair(folder: Path) -> Path:
    """Save ``tok``, ``pos`` and the ELECTRA they name below ``folder``."""
    import torch
    from hanlp.common.vocab import Vocab
    from hanlp.components.taggers.transformers.transformer_tagger import TransformerTagger
    from hanlp.components.tokenizers.transformer import TransformerTaggingTokenizer

    electra = _save_electra(folder / "electra")
    torch.manual_seed(7)
    for part, component, labels in (
        ("tok", TransformerTaggingTokenizer(), list("BMES")),
        ("pos", TransformerTagger(), TAGS),
    ):
        component.config.update(_config(electra))
        component.vocabs["tag"] = Vocab(pad_token=None, unk_token=None).copy_from(
            {"idx_to_token": labels, "mutable": False}
        )
        component.on_config_ready(**component.config)
        component.model = component.build_model(**component.config, training=False)
        # A new classifier scores all labels alike.
        torch.nn.init.normal_(component.model.classifier.weight)
        (folder / part).mkdir()
        component.save(str(folder / part))
    return folder


def _config(electra: Path) -> dict[str, Any]:
    return {
        "transformer": str(electra),
        "average_subwords": True,
        "scalar_mix": None,
        "word_dropout": None,
        "ret_raw_hidden_states": False,
        "crf": False,
        "tagging_scheme": "BMES",
        "token_key": "token",
        "batch_size": 32,
        "max_seq_len": None,
        "secondary_encoder": None,
        "extra_embeddings": None,
    }


def _save_electra(folder: Path) -> Path:
    import torch
    from transformers import BertTokenizerFast, ElectraConfig, ElectraModel

    folder.mkdir(parents=True)
    chars = sorted({char for sentence in SENTENCES for char in sentence if not char.isspace()})
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *chars]
    (folder / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    torch.manual_seed(7)
    config = ElectraConfig(
        vocab_size=len(words),
        embedding_size=16,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=512,
    )
    ElectraModel(config).save_pretrained(folder)
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder
