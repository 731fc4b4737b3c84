"""What requests refuse, in one line, and the ways to use them one by one."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer

import stela_core as stela
from tests.helpers import uninstall

from .request_marks import KEY, Made, logits_of


def test_a_list_that_steps_back_is_read_again(request_marks: dict[str, Made]) -> None:
    """As where drafts are thrown away, or a request is put off and begins anew."""
    for name in ("kgw", "gumbel", "words"):
        made = request_marks[name]
        ids = made.ids
        requests, output = made.requests(record=True), list(ids)
        requests.follow("a", output)
        for now in ([*ids, *ids[2:5]], [*ids, ids[2]], ids[:4], [], ids * 2, [*ids, *ids[::-1]]):
            output[:] = now
            scores = logits_of(1, 3)
            assert torch.equal(requests(["a"], scores).clone(), made.marker()([output], scores))
            assert len(requests.weights("a")) == len(output)


def test_numpy_logits(request_marks: dict[str, Made]) -> None:
    made = request_marks["kgw"]
    requests = made.requests()
    requests.add("a", made.ids[:3])
    scores = logits_of(1, 0).numpy()
    marked = requests(["a"], scores)
    assert isinstance(marked, np.ndarray)
    assert (marked == made.marker()([made.ids[:3]], scores)).all()
    assert (marked != scores).any()
    assert requests.step(["a"], again=True).weights == [1.0]


@pytest.mark.slow
def test_round_trip(registry: stela.Registry) -> None:
    mark = stela.create("kgw", model="tiny", key=KEY, registry=registry)
    requests, marker = mark.requests(mark.tokenizer, round_trip=True), mark.marker(round_trip=True)
    ids = mark.tokenizer.encode("The history of the city is long, and 한국의 역사는 1,234.").ids
    requests.add("a")
    for number, token in enumerate(ids):
        scores = logits_of(1, number)
        marked = requests(["a"], scores)
        assert torch.equal(marked.clone(), marker([ids[:number]], scores))
        assert torch.isinf(marked).any()
        requests.append("a", token)


class TestRefused:
    """In one line, and never left unmarked without a word."""

    def test_a_row_that_nobody_added(self, request_marks: dict[str, Made]) -> None:
        requests = request_marks["kgw"].requests()
        requests.add("a", [5])
        with pytest.raises(stela.StelaError, match="request 'b' is not running here"):
            requests(["a", "b"], logits_of(2, 0))
        requests(["a"], logits_of(1, 0))  # nothing happened
        for use in (lambda: requests.append("b", 3), lambda: requests.remove("b")):
            with pytest.raises(stela.StelaError, match="request 'b' is not running here"):
                use()

    def test_a_step_whose_token_was_forgotten(self, request_marks: dict[str, Made]) -> None:
        requests = request_marks["kgw"].requests()
        requests.add("a", [5])
        first = requests(["a"], logits_of(1, 0)).clone()
        with pytest.raises(stela.StelaError, match="no token of request 'a' came since its last step"):
            requests(["a"], logits_of(1, 0))
        assert torch.equal(requests(["a"], logits_of(1, 0), again=True), first)
        requests.append("a", 6)
        assert not torch.equal(requests(["a"], logits_of(1, 0)), first)

    def test_twice_in_a_step_added_twice_or_too_few_rows(self, request_marks: dict[str, Made]) -> None:
        requests = request_marks["kgw"].requests()
        requests.add("a", [5])
        with pytest.raises(stela.StelaError, match="request 'a' has two rows"):
            requests(["a", "a"], logits_of(2, 0))
        with pytest.raises(stela.StelaError, match="request 'a' is running already"):
            requests.add("a")
        with pytest.raises(stela.StelaError, match="1 rows of ids for 2 rows of logits"):
            requests(["a"], logits_of(2, 0))

    def test_tokens_of_a_list_that_are_handed_over_too(self, request_marks: dict[str, Made]) -> None:
        requests = request_marks["kgw"].requests()
        requests.follow("a", [5])
        with pytest.raises(stela.StelaError, match="are read from a list"):
            requests.append("a", 5)

    def test_placeholders(self, request_marks: dict[str, Made]) -> None:
        """They are refused while they stand, and the token in their place is read."""
        made = request_marks["kgw"]
        requests, output = made.requests(record=True), [5, -1]
        requests.follow("a", output)
        with pytest.raises(stela.StelaError, match="id -1 is not a token"):
            requests(["a"], logits_of(1, 0))
        assert requests.weights("a") == [None]
        output[1] = 9
        assert torch.equal(requests(["a"], logits_of(1, 0)).clone(), made.marker()([[5, 9]], logits_of(1, 0)))
        requests.add("b")
        with pytest.raises(stela.StelaError, match="id -2 is not a token"):
            requests.append("b", -2)

    def test_weights_without_a_record(self, request_marks: dict[str, Made]) -> None:
        requests = request_marks["kgw"].requests()
        requests.add("a")
        with pytest.raises(RuntimeError, match="record=True"):
            requests.weights("a")

    def test_another_tokenizer(self, registry: stela.Registry, tokenizer: Tokenizer) -> None:
        mark = stela.create("kgw", model="tiny", key=KEY, registry=registry)
        with pytest.raises(stela.StelaError, match="wrong tokenizer"):
            mark.requests(tokenizer)

    def test_without_stela_serving(self, registry: stela.Registry, monkeypatch: pytest.MonkeyPatch) -> None:
        mark = stela.create("kgw", model="tiny", key=KEY, registry=registry)
        uninstall(monkeypatch)
        with pytest.raises(
            stela.StelaError, match="marking an engine's requests needs stela-serving"
        ) as raised:
            mark.requests()
        assert raised.value.hint == "pip install stela-serving"


def test_keys_are_forgotten_with_their_requests(request_marks: dict[str, Made]) -> None:
    requests = request_marks["kgw"].requests()
    requests.add("a", [5], key=1)
    requests.add("b", [5], key=1)
    requests.add("c", [5])
    requests(["a", "c"], logits_of(2, 0))
    assert set(requests._marks.made) == {(1, None), (KEY, None)}
    requests.remove("a")
    assert set(requests._marks.made) == {(1, None), (KEY, None)}
    requests.remove("b")
    assert set(requests._marks.made) == {(KEY, None)}
    requests.add("a", [5], key=2)
    assert torch.equal(
        requests(["a"], logits_of(1, 0)).clone(),
        request_marks["kgw"].marker(keys=[2])([[5]], logits_of(1, 0)),
    )


@pytest.mark.parametrize("name", ["kgw", "gumbel", "words"])
def test_copies_go_on_each_in_its_own_way(request_marks: dict[str, Made], name: str) -> None:
    """As drafts of speculative decoding: the request itself stays where it was."""
    made = request_marks[name]
    ids, marker = made.ids, made.marker()
    requests, output = made.requests(record=True), list(made.ids)
    requests.follow("a", output, key=None)
    requests.copy("a", "b")
    requests.append("b", ids[1])
    requests.copy("b", "c")
    requests.append("c", ids[2])
    scores = logits_of(3, 1)
    wanted = marker([output, [*output, ids[1]], [*output, *ids[1:3]]], scores).clone()
    assert torch.equal(requests(["a", "b", "c"], scores), wanted)
    output.append(ids[3])
    assert torch.equal(requests(["a"], scores[:1]).clone(), marker([output], scores[:1]))
    assert [len(requests.weights(one)) for one in "abc"] == [len(output), len(ids) + 1, len(ids) + 2]
    with pytest.raises(stela.StelaError, match="request 'c' is running already"):
        requests.copy("a", "c")


@pytest.mark.parametrize("name", ["kgw", "gumbel", "words", "synthid"])
def test_a_step_is_finished_later(request_marks: dict[str, Made], name: str) -> None:
    made = request_marks[name]
    requests, scores = made.requests(), logits_of(2, 5)
    requests.add("a", made.ids)
    requests.add("b", made.ids[:2])
    step = requests.step(["a", "b"], scores)
    torch.manual_seed(0)
    finished = requests.finish(["a", "b"], step, scores).clone()
    torch.manual_seed(0)
    assert torch.equal(finished, made.marker()([made.ids, made.ids[:2]], scores))


def test_what_waits(request_marks: dict[str, Made]) -> None:
    """Whether a step would be refused; only lists hold placeholders."""
    requests, output = request_marks["kgw"].requests(), [5]
    requests.follow("a", output)
    requests.add("b", [5])
    for now, waits in (([5], False), ([5, -1], True), ([5, 7], False), ([5, 7, -1, 4], True), ([], False)):
        output[:] = now
        assert requests.waits("a") is waits
        assert requests.length("a") == (now.index(-1) if waits else len(now))
    assert not requests.waits("b")
    with pytest.raises(stela.StelaError, match="not running"):
        requests.waits("c")


@pytest.mark.parametrize("name", ["kgw", "gumbel"])
def test_a_token_beyond_the_vocabulary_has_no_weight(registry: stela.Registry, name: str) -> None:
    """It bears no bias, and detection gives it none; the logits of many models have room for more ids."""
    watermark = stela.create(name, model="tiny", key=KEY, registry=registry)
    beyond = len(watermark.tokens) + 3
    words = list(range(400, 412))
    ids = [*words[:6], beyond, *words[6:]]
    source: list[int] = []
    processor, requests = watermark.logits_processor(record=True), watermark.requests(record=True)
    requests.add("added")
    requests.follow("followed", source)
    prompted = torch.tensor([[5]])
    for token in ids:
        scores = logits_of(2, token)
        requests(["added", "followed"], scores)
        processor(prompted, scores[:1])
        requests.append("added", token)
        source.append(token)
        prompted = torch.cat([prompted, torch.tensor([[token]])], dim=1)
    [evidence] = watermark.detector.evidence([ids])
    detected = [token.weight for token in evidence.tokens()]
    assert detected[6] is None
    assert None not in (detected[5], detected[-1])
    assert processor.weights_of(ids[:-1]) == detected[:-1]
    assert [processor.weights[0], requests.weights("added"), requests.weights("followed")] == [detected] * 3
