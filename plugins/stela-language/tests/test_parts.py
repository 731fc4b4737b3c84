from pathlib import Path

import numpy as np
import pytest
import torch
from invented import write_data
from stela_causal.word_files import Arrays, Description, read_model, write_model
from stela_causal.word_network import WordNetwork
from stela_language.learning import train
from stela_language.lesson import characters_of, known_characters
from stela_language.measuring import f1, measure
from stela_language.network import Network
from stela_language.treebank import Word, is_spaced, labels_of, parted, read_sentences

import stela_core as stela

FRENCH = """# text = Il va au parc.
1\tIl\t_\tPRON\t_\t_\t_\t_\t_\t_
2\tva\t_\tVERB\t_\t_\t_\t_\t_\t_
3-4\tau\t_\t_\t_\t_\t_\t_\t_\t_
3\tà\t_\tADP\t_\t_\t_\t_\t_\t_
4\tle\t_\tDET\t_\t_\t_\t_\t_\t_
4.1\t_\t_\t_\t_\t_\t_\t_\t_\t_
5\tparc\t_\tNOUN\t_\t_\t_\t_\t_\tSpaceAfter=No
6\t.\t_\tPUNCT\t_\t_\t_\t_\t_\t_

1\t1 000\t_\tNUM\t_\t_\t_\t_\t_\t_
2\tx\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
"""


def test_a_treebank_by_hand(tmp_path: Path) -> None:
    file = tmp_path / "fr.conllu"
    file.write_text(FRENCH, encoding="utf-8")
    [first, second], bad = read_sentences([file])
    assert bad == 0
    assert first.text == "Il va au parc."
    assert [(first.text[w.start : w.end], w.label) for w in first.words] == [
        ("Il", "PRON"), ("va", "VERB"), ("au", "ADP+DET"), ("parc", "NOUN"), (".", "PUNCT"),
    ]  # fmt: skip
    assert first.spaced
    assert second.text == "1 000 x"
    assert second.words == (Word(0, 1, "NUM"), Word(2, 5, "NUM"), Word(6, 7, ""))
    assert not second.spaced
    assert is_spaced([first])
    assert labels_of([first, first], 2) == ["ADP+DET", "NOUN", "PRON", "PUNCT", "VERB"]
    assert "ADP+DET" not in labels_of([first], 2)


def test_parts_share_no_text(tmp_path: Path) -> None:
    treebank, _ = write_data(tmp_path)
    sentences, _ = read_sentences([treebank])
    train, test = parted(sentences, [])
    assert not {one.text for one in train} & {one.text for one in test}
    assert len(train) + len(test) == len(sentences)
    assert 0.04 < len(test) / len(sentences) < 0.2
    train, test = parted(sentences, sentences[:50])
    assert len(test) == 50
    assert not {one.text for one in train} & {one.text for one in test}
    with pytest.raises(stela.StelaError, match="too small"):
        parted(sentences[:10], [])


def test_the_trained_network_is_the_one_that_runs(tmp_path: Path) -> None:
    shape = Description(
        characters="abc.", folded="abc.", lengths=[2, 4], bits=5, labels=["NOUN", "PUNCT"], dilations=[1, 2],
        delay=2, char_width=8, ending_width=4, width=12,
    )  # fmt: skip
    torch.manual_seed(0)
    network = Network(shape).eval()
    with torch.no_grad():
        for parameter in network.parameters():  # what 16 bits hold
            parameter.copy_(parameter.half().float())
    write_model(tmp_path, shape, {name: each.numpy() for name, each in network.state_dict().items()})
    runs = WordNetwork(read_model(tmp_path))
    text = "ab. cab abc x. " * 3
    encoded = shape.alphabet().encode([text], runs.gap)
    tensors = (torch.from_numpy(one)[None] for one in (encoded.chars, encoded.endings))
    with torch.no_grad():
        expected = network(*tensors, torch.from_numpy(encoded.inside).float()[None])[0].numpy()
    size = len(text)
    late, early = runs.scores(encoded, np.arange(len(encoded.chars)))
    scores = np.concatenate([early, late[:, None]], axis=1).reshape(expected.shape)
    np.testing.assert_allclose(scores[:size], expected[:size], rtol=1e-4, atol=1e-5)


class Spaces(stela.Tagger[stela.Parameters]):
    """Every run of non-space is a NOUN."""

    name, language, tagset, model, version = "spaces", "xx", "none", "none", "1"

    def tag(self, texts: list[str]) -> list[list[stela.Tag]]:
        """Tags."""
        from re import finditer

        return [[stela.Tag("NOUN", *match.span()) for match in finditer(r"\S+", text)] for text in texts]


def test_measuring_by_hand(tmp_path: Path) -> None:
    file = tmp_path / "fr.conllu"
    file.write_text(FRENCH, encoding="utf-8")
    sentences, _ = read_sentences([file])
    figures = measure(Spaces(), sentences[:1])
    # Il, va, au are right places of 5 words given and 4 said; no tag is right.
    assert figures.words == 5
    assert figures.boundaries == pytest.approx(2 * 3 / (5 + 4))
    assert figures.tags == figures.both == 0
    assert f1(0, 0, 0) == 0


def test_training_goes_on_from_arrays(tmp_path: Path) -> None:
    treebank, _ = write_data(tmp_path)
    sentences = read_sentences([treebank])[0][:40]
    known, stands = known_characters(sentences)
    labels = labels_of(sentences, 1)
    sizes = {"char_width": 4, "ending_width": 4, "width": 8, "bits": 4, "lengths": [2, 3, 4], "delay": 1}
    shape = Description.model_validate(
        {"characters": known, "folded": stands, "labels": labels, "dilations": [1, 2], **sizes}
    )
    lesson = [characters_of(one, {label: n for n, label in enumerate(labels)}) for one in sentences]

    def trained(folder: str, epochs: int, rate: float, start: Arrays | None) -> Arrays:
        (tmp_path / folder).mkdir()
        return train(
            lesson, shape, epochs, 1, tmp_path / folder, "k", lambda _: None, start=start, learn_rate=rate
        )

    first = trained("a", 1, 3e-3, None)
    for name, array in trained("b", 0, 3e-3, first).items():
        np.testing.assert_array_equal(array, first[name])
    little = trained("c", 1, 1e-6, first)
    much = trained("d", 1, 1e-2, first)
    moved = [sum(float(abs(made[name] - first[name]).sum()) for name in first) for made in (little, much)]
    assert 0 < moved[0] < moved[1] / 100
