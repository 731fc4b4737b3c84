import pytest
from stela_causal.tagger import CausalTagger
from stela_testing import TaggerContract
from stela_tr import Turkish

SAMPLE = (
    "Cezveyi sürüyor , fincana boşaltıyor , k"
    "ahveyi afiyetle içiyordu . Kırmızı daha "
    "ağır basıyor . Devlet adamlarının ileri "
    "gelenleri böyle sözlere karışmaz , ağır "
)


@pytest.mark.deep(
    stand_in="plugins/stela-de/tests/test_de.py::TestGerman",
    only=["test_a_long_text", "test_windows_within_a_text_have_the_tags_they_have_alone"],
)
class TestTurkish(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls) -> CausalTagger:
        return Turkish()

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return [SAMPLE[start : start + 12 + start] for start in range(0, 60, 2)]


def test_tables() -> None:
    assert set(Turkish().tables()) == {2, 3, 4}
