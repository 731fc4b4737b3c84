import pytest
from stela_ar import Arabic
from stela_causal.tagger import CausalTagger
from stela_testing import TaggerContract

SAMPLE = (
    "في أوائل شهر تشرين الأول, استخدم الفريق "
    "الانتقالي ذات المكان للقاء جماعات الضغط "
    "التكنولوجية, بحضور ممثلين عن شركة أوبر و"
    "جمعية الفيلم الأمريكي وجمعية مستهلكي الت"
)


@pytest.mark.deep(
    stand_in="plugins/stela-de/tests/test_de.py::TestGerman",
    only=["test_a_long_text", "test_windows_within_a_text_have_the_tags_they_have_alone"],
)
class TestArabic(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls) -> CausalTagger:
        return Arabic()

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return [SAMPLE[start : start + 12 + start] for start in range(0, 60, 2)]


def test_tables() -> None:
    assert set(Arabic().tables()) == {2, 3, 4}
