"""``stela detect --surrogate``: weights by a model that cuts texts in its own way."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from stela_testing.texts import little_english, marked_text

import stela_core as stela
from tests.commands import Stela
from tests.helpers import new_keys_are

PICKY = """
import stela_core as stela

class Picky(stela.Weighting):
    name = "picky"
    needs = frozenset({"logits"})

    def weights(self, positions):
        return positions.logits[:, :8].exp().sum(-1).double().numpy()

@stela.hookimpl
def stela_register_weightings():
    return Picky
"""


@pytest.fixture
def profile(stela_: Stela, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """KGW, its evidence weighed by a model, under a key that is the same in every run."""
    new_keys_are(monkeypatch, 0x5EED)
    path = tmp_path / "p.stela"
    made = stela_("profile", "new", "--model", "tiny", "--scheme", "kgw+ewd-gain", "--public-key", "-o", path)
    assert made.status == 0, made.err
    return path


@pytest.fixture
def texts(profile: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "human.txt").write_text(little_english()[2000:3000], encoding="utf-8")
    (folder / "marked.txt").write_text(marked_text(stela.load(profile)), encoding="utf-8")
    return folder


def test_a_marked_text_is_found_by_another_model(stela_: Stela, profile: Path, texts: Path) -> None:
    asked = ("detect", "--profile", profile, "--json", texts)
    ended = stela_(*asked, "--surrogate", "tiny-small")
    assert ended.status == 0
    assert ended.err == "total: 2 texts tested: 1 watermarked, 1 no watermark found, 0 insufficient text\n"
    human, marked = ended.json
    assert (human["verdict"], marked["verdict"]) == ("no watermark found", "watermarked")
    mark, model = stela.load(profile), stela.Surrogate(*stela.load_model("tiny-small"))
    texts_ = [(texts / f"{name}.txt").read_text("utf-8") for name in ("human", "marked")]
    assert [one.p_value for one in mark.detect_many(texts_, model)] == [human["p_value"], marked["p_value"]]
    own = stela_(*asked, "--model", "tiny").json[1]
    assert own["z"] != marked["z"], "they weigh in other ways"
    assert own["scored_tokens"] == marked["scored_tokens"]


@pytest.mark.deep(stand_in="plugins/stela-cli/tests/test_detect_workers.py::test_profiles_of_a_folder")
@pytest.mark.slow
def test_workers_and_folders_of_profiles(stela_: Stela, profile: Path, texts: Path, tmp_path: Path) -> None:
    with_it = ("--surrogate", "tiny-small", "--json", texts)
    alone = stela_("detect", "--profile", profile, *with_it)
    assert stela_("detect", "--profile", profile, *with_it, "--workers", 2).out == alone.out
    folder = tmp_path / "profiles"
    folder.mkdir()
    shutil.copy(profile, folder)
    several = stela_("detect", "--profiles", folder, *with_it)
    assert several.status == 0, several.err
    assert '"watermarked"' in several.out
    left_out = stela_("detect", "--profiles", folder, texts)
    assert "--surrogate NAME" in left_out.err


def test_what_will_not_do_is_one_line(stela_: Stela, profile: Path, texts: Path, tmp_path: Path) -> None:
    asked = ("detect", "--profile", profile, texts / "marked.txt")
    both = stela_(*asked, "--model", "tiny", "--surrogate", "tiny-small")
    assert (both.status, both.err.count("\n")) == (2, 1)
    assert "--model and --surrogate exclude each other" in both.err
    assert "--surrogate NAME" in stela_(*asked).err
    assert "wrong tokenizer" in stela_(*asked, "--model", "tiny-small").err
    (tmp_path / "picky.py").write_text(PICKY)
    plugin = ("--plugin", tmp_path / "picky.py")
    own = tmp_path / "picky.stela"
    made = ("profile", "new", "--model", "tiny", "--scheme", "kgw+picky", "--public-key", "-o", own)
    assert stela_(*made, *plugin).status == 0
    ended = stela_("detect", *plugin, "--profile", own, texts / "marked.txt", "--surrogate", "tiny-small")
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert 'weighting "picky" reads which tokens are likely: a surrogate cannot replace it.' in ended.err


def test_a_scheme_that_needs_none_loads_none(stela_: Stela, profiles: dict[str, Path], texts: Path) -> None:
    ended = stela_("detect", "--profile", profiles["kgw"], texts / "human.txt", "--surrogate", "nowhere")
    assert ended.status == 0
    assert "nowhere is not loaded" in ended.err
