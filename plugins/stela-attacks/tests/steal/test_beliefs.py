"""What is learned: against Bayes' rule written out, and against the colours of a real split."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stela_attacks.steal.beliefs import Assumed, Beliefs, Place

from stela_core.api import KeyedHasher

probability = st.floats(0.01, 0.9)


def posterior(probabilities: list[float], drawn: list[bool], assumed: Assumed) -> float:
    """Of green, by likelihoods multiplied one by one."""
    gain = np.exp(assumed.bias)
    mean = assumed.gamma * gain + 1 - assumed.gamma
    likelihood = {True: assumed.gamma, False: 1 - assumed.gamma}
    for green in likelihood:
        for p, hit in zip(probabilities, drawn, strict=True):
            own = p * gain if green else p
            chance = own / (own + (1 - p) * mean)
            other = mean / (own + (1 - p) * mean)  # of one more unit of the other tokens' probability
            likelihood[green] *= chance if hit else other
    return likelihood[True] / sum(likelihood.values())


@settings(deadline=None)
@given(
    st.lists(st.tuples(probability, st.booleans()), min_size=1, max_size=6),
    st.floats(0.1, 0.9),
    st.floats(0.1, 4.0),
)
def test_belief_is_the_posterior(seen: list[tuple[float, bool]], gamma: float, bias: float) -> None:
    assumed = Assumed(gamma, bias)
    places = [Place((3,), 7 if hit else 1, np.array([7]), np.array([p])) for p, hit in seen]
    ids, beliefs = Beliefs.learn(places, 1, assumed).after([3])
    expected = posterior([p for p, _ in seen], [hit for _, hit in seen], assumed)
    found = beliefs[ids.tolist().index(7)]
    # Green less red, with the prior's own difference taken off. Sums of logs round.
    assert found == pytest.approx(2 * expected - 1 - (2 * gamma - 1), abs=1e-9)


def test_nothing_is_believed_of_what_was_not_seen() -> None:
    learned = Beliefs.learn([Place((1, 2), 5, np.array([6]), np.array([0.5]))], 2, Assumed(0.5, 2.0))
    assert len(learned) == 1
    assert [len(part) for part in learned.after((2, 1))] == [0, 0]
    ids, beliefs = learned.after((1, 2))
    assert dict(zip(ids.tolist(), np.sign(beliefs), strict=True)) == {6: -1.0, 5: 1.0}


def test_steering_leads_to_known_contexts() -> None:
    places = [Place(context, 9, np.zeros(0, np.int64), np.zeros(0)) for context in ((1, 2), (1, 3), (4, 3))]
    wide = Beliefs.learn(places, 2, Assumed(0.5, 2.0))
    assert sorted(wide.leads((8, 1)).tolist()) == [2, 3]
    assert wide.leads((1, 4)).tolist() == [3]
    assert wide.leads((1, 2)).tolist() == []
    everywhere = Beliefs.learn([Place((), 9, np.array([9]), np.array([0.1]))], 0, Assumed(0.5, 2.0))
    assert everywhere.leads(()).tolist() == []


@pytest.mark.parametrize("width", [0, 1, 2])
def test_colours_of_a_real_split_are_found(width: int) -> None:
    """Tokens drawn with the bias on the green ones of a keyed split; their colours, guessed by sign."""
    draws = np.random.default_rng(5)
    size = 40
    hasher = KeyedHasher(KeyedHasher.Parameters(context_width=max(width, 1)), 0x5EC2E7)
    base = draws.dirichlet(np.full(size, 0.5))
    ids = np.arange(size)
    contexts = [(7,) * width] if width == 0 else [(n,) * width for n in range(8)]
    places, colours = [], {}
    for context in contexts:
        seed = hasher.seeds(np.array([context or (0,)]))
        colours[context] = hasher.green(np.repeat(seed, size), ids)
        marked = base * np.exp(2.5 * colours[context])
        drawn = draws.choice(size, 400, p=marked / marked.sum()).tolist()
        places += [Place(context, token, ids, base) for token in drawn]
    learned = Beliefs.learn(places, width, Assumed(0.5, 2.5))
    right, sure = [], []
    for context in contexts:
        known, beliefs = learned.after(context)
        guessed = beliefs > 0
        right += (guessed == colours[context][known])[np.abs(beliefs) > 0.9].tolist()
        sure += (np.abs(beliefs) > 0.9).tolist()
    assert np.mean(sure) > 0.4
    assert np.mean(right) > 0.9
