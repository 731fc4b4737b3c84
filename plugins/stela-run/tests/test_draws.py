from hashlib import blake2b

import numpy as np
import pytest
from stela_run.text_rng import draws_of


def test_seeded_by_a_published_hash() -> None:
    """blake2b-128 of seed, use and text with NULs between, little endian, seeds PCG64."""
    digest = blake2b(b"7\0shuffle\0" + "글".encode(), digest_size=16).digest()
    expected = np.random.Generator(np.random.PCG64(int.from_bytes(digest, "little")))
    assert (
        draws_of(7, "글", "shuffle").integers(1000, size=5).tolist()
        == expected.integers(1000, size=5).tolist()
    )


@pytest.mark.parametrize("other", [(8, "text", "use"), (7, "text ", "use"), (7, "text", "uses")])
def test_each_argument_counts(other: tuple[int, str, str]) -> None:
    assert draws_of(7, "text", "use").random() == draws_of(7, "text", "use").random()
    assert draws_of(7, "text", "use").random() != draws_of(*other).random()


def test_lone_surrogate_is_a_text() -> None:
    assert draws_of(1, "a\ud800", "use").random() != draws_of(1, "a\ud801", "use").random()
