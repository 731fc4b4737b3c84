"""Sentences tagged by hand, and a Stanza pipeline trained on the English ones (a few seconds)."""

from __future__ import annotations

from pathlib import Path

import pytest

# UPOS as UD's guidelines give them and the treebanks of the shipped models apply them.
HAND_TAGGED = {
    "en": """
The/DET old/ADJ dog/NOUN slept/VERB near/ADP the/DET door/NOUN ./PUNCT
She/PRON has/AUX written/VERB three/NUM long/ADJ letters/NOUN to/ADP her/PRON brother/NOUN ./PUNCT
We/PRON can/AUX not/PART go/VERB to/ADP London/PROPN today/NOUN ./PUNCT
Who/PRON wants/VERB more/ADJ coffee/NOUN ?/PUNCT
There/PRON are/VERB two/NUM ways/NOUN to/PART do/VERB this/PRON ./PUNCT
He/PRON quickly/ADV opened/VERB the/DET window/NOUN and/CCONJ looked/VERB out/ADP ./PUNCT
If/SCONJ it/PRON rains/VERB ,/PUNCT they/PRON will/AUX stay/VERB at/ADP home/NOUN ./PUNCT
My/PRON sister/NOUN is/AUX a/DET teacher/NOUN in/ADP Paris/PROPN ./PUNCT
The/DET children/NOUN were/AUX playing/VERB with/ADP a/DET red/ADJ ball/NOUN ./PUNCT
Oh/INTJ ,/PUNCT I/PRON did/AUX not/PART see/VERB you/PRON ./PUNCT
""",
    "zh": """
我们/PRON 在/ADP 学校/NOUN 学习/VERB 。/PUNCT
他/PRON 是/AUX 一/NUM 位/NOUN 老师/NOUN 。/PUNCT
这些/PRON 学生/NOUN 非常/ADV 聪明/ADJ 。/PUNCT
她/PRON 去/VERB 了/AUX 上海/PROPN 和/CCONJ 北京/PROPN 。/PUNCT
2004/NUM 年/NOUN ，/PUNCT 公司/NOUN 在/ADP 日本/PROPN 成立/VERB 。/PUNCT
""",
    "ko": """
나는/PRON 책을/NOUN 읽고/VERB 잠을/NOUN 잤다/VERB ./PUNCT
그리고/CCONJ 사람들이/NOUN 많이/ADV 왔다/VERB ./PUNCT
이/DET 영화는/NOUN 아주/ADV 재미있다/ADJ ./PUNCT
정부는/NOUN 새로운/VERB 정책을/NOUN 발표했다/VERB ./PUNCT
""",
}

# "don't" is one token of two words, as in the English treebanks of UD.
SPLIT = {"don't": (("do", "AUX"), ("n't", "PART")), "didn't": (("did", "AUX"), ("n't", "PART"))}
WITH_SPLITS = """
I/PRON don't/SPLIT know/VERB him/PRON ./PUNCT
They/PRON don't/SPLIT go/VERB home/NOUN ./PUNCT
She/PRON didn't/SPLIT open/VERB the/DET letters/NOUN ./PUNCT
We/PRON didn't/SPLIT see/VERB the/DET dog/NOUN ./PUNCT
"""

Sentence = list[tuple[str, str]]


def sentences(lines: str) -> list[Sentence]:
    """Words and tags of each line."""
    return [
        [(word, tag) for word, tag in (pair.rsplit("/", 1) for pair in line.split())]
        for line in lines.strip().splitlines()
    ]


@pytest.fixture(scope="session")
def hand_tagged() -> dict[str, list[Sentence]]:
    """By language."""
    return {language: sentences(lines) for language, lines in HAND_TAGGED.items()}


def conllu(found: list[Sentence]) -> str:
    """A treebank with no syntax but what the format asks for."""
    blocks = []
    for sentence in found:
        rows: list[str] = []
        number = 1
        for place, (word, tag) in enumerate(sentence):
            space = (
                "SpaceAfter=No"
                if sentence[place + 1 : place + 2] in ([(".", "PUNCT")], [(",", "PUNCT")])
                else "_"
            )
            parts = SPLIT[word] if tag == "SPLIT" else ((word, tag),)
            if tag == "SPLIT":
                rows.append(f"{number}-{number + 1}\t{word}" + "\t_" * 7 + f"\t{space}")
            for form, upos in parts:
                head = number - 1
                rows.append(
                    f"{number}\t{form}\t_\t{upos}\t_\t_\t{head}\t{'dep' if head else 'root'}\t_\t{space}"
                )
                number += 1
        blocks.append("\n".join(rows) + "\n")
    return "\n".join(blocks) + "\n"


def text_of(sentence: Sentence) -> str:
    """The words with no blank before a full stop or comma."""
    return " ".join(word for word, _ in sentence).replace(" .", ".").replace(" ,", ",")


@pytest.fixture(scope="session")
def stanza_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tokenizer, an expander of multi-word tokens and a tagger by Stanza's own training programs."""
    pytest.importorskip("stanza")
    from stanza.models import mwt_expander, tagger, tokenizer
    from stanza.utils.datasets import prepare_tokenizer_data

    folder = tmp_path_factory.mktemp("stanza")
    found = sentences(HAND_TAGGED["en"]) + sentences(WITH_SPLITS)
    treebank, text, labels, split = (folder / name for name in ("t.conllu", "t.txt", "t.labels", "t.json"))
    treebank.write_text(conllu(found), encoding="utf-8")
    text.write_text(" ".join(map(text_of, found)) + "\n", encoding="utf-8")
    prepare_tokenizer_data.main([str(text), str(treebank), "-o", str(labels), "-m", str(split)])
    models = folder / "models"
    models.mkdir()
    common = ["--lang", "en", "--shorthand", "en_hand", "--save_dir", str(models), "--seed", "7"]
    tokenizer.main(
        [*common, "--txt_file", str(text), "--label_file", str(labels), "--dev_txt_file", str(text),
         "--dev_label_file", str(labels), "--dev_conll_gold", str(treebank), "--mwt_json_file", str(split),
         "--steps", "120", "--eval_steps", "120", "--save_name", "en_hand_tokenizer.pt"]
    )  # fmt: skip
    mwt_expander.main(
        [*common, "--train_file", str(treebank), "--eval_file", str(treebank), "--gold_file", str(treebank),
         "--dict_only", "--no_force_exact_pieces", "--save_name", "en_hand_mwt_expander.pt"]
    )  # fmt: skip
    tagger.main(
        [*common, "--train_file", str(treebank), "--eval_file", str(treebank), "--no_pretrain",
         "--hidden_dim", "40", "--char_hidden_dim", "40", "--char_emb_dim", "20", "--transformed_dim", "40",
         "--word_emb_dim", "20", "--dropout", "0.1", "--word_dropout", "0.1",
         "--deep_biaff_hidden_dim", "40", "--composite_deep_biaff_hidden_dim", "20",
         "--max_steps", "120", "--eval_interval", "120", "--save_name", "en_hand_tagger.pt"]
    )  # fmt: skip
    return models
