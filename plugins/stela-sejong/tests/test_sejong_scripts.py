"""What Kiwi says as labels, and training, in small."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from runpy import run_path

import numpy as np
import pytest
from korean_texts import SENTENCES, documents

import stela_core as stela

pytest.importorskip("kiwipiepy")
from silver import NO_LABEL, SEEN, Silver, keep, kept, labels_of, silver_of
from stela_sejong import Sejong

pytestmark = pytest.mark.slow

SCRIPTS = Path(__file__).parents[1] / "scripts"


def test_labels_are_what_begins_at_a_character() -> None:
    tags = [stela.Tag("NNG", 0, 2), stela.Tag("VV", 3, 4), stela.Tag("EP", 3, 4), stela.Tag("EF", 4, 5)]
    assert labels_of("학교 갔다", tags) == [("NNG",), (), None, ("VV", "EP"), ("EF",)]


@pytest.fixture(scope="module")
def kiwi() -> Sejong:
    return Sejong(Sejong.Parameters(threads=1))


def test_silver_is_what_the_default_tagger_says(kiwi: Sejong) -> None:
    texts = documents(6)
    silver = silver_of(texts, kiwi, 3)
    assert silver.starts.tolist() == [sum(map(len, texts[:n])) for n in range(len(texts) + 1)]
    whole = "".join(texts)
    assert "".join(map(chr, silver.points.tolist())) == whole
    for number, (text, tags) in enumerate(zip(texts, kiwi.tag(texts), strict=True)):
        labels = silver.labels[silver.starts[number] :][: len(text)].tolist()
        assert [tag for label in labels if label != NO_LABEL for tag in silver.names[label]] == [
            tag.tag for tag in tags
        ]
        assert [label == NO_LABEL for label in labels] == [char.isspace() for char in text]
    assert len(silver.ends) > 0.1 * len(whole)
    for end, labels in zip(silver.ends.tolist(), silver.end_labels.tolist(), strict=True):
        number = int(np.searchsorted(silver.starts, end, side="right")) - 1
        text = whole[silver.starts[number] : end + 1]
        last = " ".join(text.rsplit(maxsplit=5)[-5:])  # no text has other white space here
        [tags] = kiwi.tag([text[-len(last) :]])
        expected = [tag.tag for tag in tags if tag.start >= len(last) - SEEN]
        assert [t for label in labels[::-1] if label != NO_LABEL for t in silver.names[label]] == expected


def test_what_was_kept_is_read_again(kiwi: Sejong, tmp_path: Path) -> None:
    parts = [documents(3), documents(2, seed=5)]
    silvers = [silver_of(part, kiwi, 1) for part in parts]
    keep(tmp_path / "kept.npz", silvers)
    for one, other in zip(silvers, kept(tmp_path / "kept.npz", parts), strict=True):
        assert one.names == other.names
        for name in Silver._fields[:-1]:
            assert np.array_equal(getattr(one, name), getattr(other, name))


def test_a_few_steps_teach_the_network(kiwi: Sejong) -> None:
    import torch
    from morpheme_characters import alphabet_of
    from morpheme_learning import accuracy, train
    from morpheme_network import CausalNetwork

    script = run_path(str(SCRIPTS / "train.py"))  # not imported: other plugins have a train, too
    shape = script["SHAPE"] | {"width": 32, "char_width": 16, "pair_width": 8, "bits": 8}
    learnt, held_out = (silver_of(documents(count, seed=count), kiwi, 1) for count in (40, 6))
    labels = script["known_labels"](learnt, 1)
    learnt, held_out = (script["numbered"](one, labels) for one in (learnt, held_out))
    characters = alphabet_of(script["known_characters"](learnt, 1), shape["bits"])
    torch.manual_seed(1)
    network = CausalNetwork(characters, len(labels), shape)
    before = accuracy(network, held_out, characters)
    train(network, learnt, characters, 12, 4, 0.01, 1, lambda done, loss: None)
    after = accuracy(network, held_out, characters)
    assert len(after) == shape["delay"] + 1
    assert all(late > early + 0.3 for early, late in zip(before, after, strict=True))


@pytest.mark.deep(stand_in="test_a_few_steps_teach_the_network")
def test_training_makes_a_model_that_tags_as_kiwi_and_the_same_one_again(
    kiwi: Sejong, tmp_path: Path
) -> None:
    from stela_causal.word_files import DESCRIPTION, WEIGHTS, read_model
    from stela_causal.words import CausalWords

    with gzip.open(tmp_path / "raw.jsonl.gz", "wt", encoding="utf-8") as file:
        for text in documents(150, seed=2):
            file.write(json.dumps({"text": text}) + "\n")
    words = [f"--raw={tmp_path / 'raw.jsonl.gz'}", f"--kept={tmp_path / 'kept.npz'}"]
    changes = ("width=32", "char_width=16", "pair_width=8", "bits=8", "epochs=30",
               "min_char=1", "min_label=1")  # fmt: skip
    words += [f"--set={change}" for change in changes]
    # In a process of its own, as it sets torch's threads; the second reads what the first has kept.
    calls = [f"train.main({[*words, f'--out={tmp_path}/{name}/causal']!r})" for name in ("one", "two")]
    done = subprocess.run(
        [sys.executable, "-c", "; ".join(["import train", *calls])],
        cwd=SCRIPTS, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    record = json.loads((tmp_path / "one" / "training-causal.json").read_text(encoding="utf-8"))
    assert record["characters"]["dev"] == sum(map(len, documents(150, seed=2)[::50]))
    # Of the whole: that of texts that go on, the last delay.
    assert record["labels_like_kiwis_dev_by_delay"][-1] > 0.95
    for name in (DESCRIPTION, WEIGHTS):
        assert (tmp_path / "one/causal/model" / name).read_bytes() == (
            tmp_path / "two/causal/model" / name
        ).read_bytes()
    model = CausalWords(read_model(tmp_path / "one/causal/model"))
    mine, theirs = (tagger.last_tags([" ".join(SENTENCES[:3])], 40)[0] for tagger in (model, kiwi))
    assert mine == theirs
