import pytest
from stela_causal.tagger import CausalTagger
from stela_hi import Hindi
from stela_testing import TaggerContract

SAMPLE = (
    "पुलिस ने कहा कि उसने अपनी बेटी एंजेल की "
    "हत्या का प्रयास करने से पहले अपनी बैठक म"
    "ें आंद्रे प्राइस III का चेहरा हवा वाले ग"
    "द्दे से दबाकर उसे मार डाला। पहले एक यजीद"
)


@pytest.mark.deep(
    stand_in="plugins/stela-de/tests/test_de.py::TestGerman",
    only=["test_a_long_text", "test_windows_within_a_text_have_the_tags_they_have_alone"],
)
class TestHindi(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls) -> CausalTagger:
        return Hindi()

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return [SAMPLE[start : start + 12 + start] for start in range(0, 60, 2)]


def test_tables() -> None:
    assert set(Hindi().tables()) == {2, 3, 4}
