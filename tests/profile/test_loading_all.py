"""A folder of profiles: what is loaded once, what is left out and why, and what is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from stela_testing.texts import marked_text, random_text
from tokenizers import Tokenizer

import stela_core as stela
from stela_core import loading as module
from stela_core import watermarks
from stela_core.hashing.key_file import write_key_file
from stela_core.interfaces import Tagger
from stela_core.profile import parts
from stela_core.profile.archive import Archive
from stela_core.profile.create import Settings
from stela_core.profile.provenance import trusted
from stela_core.registry.tagger_spec import make_tagger
from stela_core.text.own_tokenizer import open_tokenizer
from stela_core.text.token_bytes import TokenBytes


def archive(
    registry: stela.Registry,
    tokenizer: Tokenizer,
    key: int,
    scheme: str = "kgw",
    public: bool = True,
    tagger: Tagger | None = None,
) -> Archive:
    made = Settings(scheme).create(registry, tokenizer, key, public=public, tagger=tagger).archive
    trusted.add(made.profile)
    return made


@pytest.fixture(scope="module")
def folder(registry: stela.Registry, tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two public profiles, one with a secret key, and what no program can test."""
    folder = tmp_path_factory.mktemp("folder")
    for name, key in (("a", 1), ("b", 2)):
        archive(registry, tokenizer, key).write(folder / f"{name}.stela")
    archive(registry, tokenizer, 3, public=False).write(folder / "secret.stela")
    write_key_file(folder / "secret.txt", 3)
    (folder / "damaged.stela").write_bytes(b"PK no zip")
    unknown = archive(registry, tokenizer, 4)
    scheme = unknown.profile.scheme.model_copy(update={"name": "of-another-time"})
    changed = unknown.profile.model_copy(update={"scheme": scheme})
    trusted.add(changed)
    Archive(changed, unknown.tokenizer, None).write(folder / "unknown.stela")
    shutil.copy(folder / "a.stela", folder / "same.stela")
    (folder / ".hidden.stela").write_bytes(b"")
    (folder / "notes.txt").write_text("nothing")
    return folder


def test_what_cannot_be_opened_is_left_out_and_counts_in_nothing(
    folder: Path, registry: stela.Registry
) -> None:
    several = stela.load_all(folder, registry=registry)
    assert several.names == ["a.stela", "b.stela"]
    assert several.same == {"same.stela": "a.stela"}
    reasons = {one.name: str(one.reason) for one in several.left_out}
    assert sorted(reasons) == ["damaged.stela", "secret.stela", "unknown.stela"]
    assert "no key was given" in reasons["secret.stela"]
    assert "of-another-time" in reasons["unknown.stela"]
    assert all("\n" not in reason for reason in reasons.values())
    text = marked_text(several["b.stela"])
    attribution = several.detect(text)
    assert [one.name for one in attribution.tested] == ["b.stela", "a.stela"]
    assert attribution.p_value == 2 * stela.load(folder / "b.stela").detect(text).p_value


def test_with_its_key_a_secret_one_is_tested(folder: Path, registry: stela.Registry) -> None:
    for keys in ([folder / "secret.txt"], [str(folder)]):
        several = stela.load_all(folder, keys, registry)
        assert several.names == ["a.stela", "b.stela", "secret.stela"]
    attribution = several.detect(marked_text(several["secret.stela"]))
    assert (attribution.name, attribution.watermarked) == ("secret.stela", True)


@pytest.mark.slow
def test_tokenizer_and_tagger_are_loaded_once(
    registry: stela.Registry, tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tagger = make_tagger(registry, "penn")
    for key in range(3):
        made = archive(registry, tokenizer, key, "stela", tagger=tagger)
        made.write(tmp_path / f"{key}.stela")
    archive(registry, tokenizer, 1).write(tmp_path / "kgw.stela")
    parsed: list[str] = []

    def counted(data: bytes, digest: str, source: str) -> tuple[Tokenizer, TokenBytes]:
        parsed.append(source)
        return open_tokenizer(data, digest, source)

    monkeypatch.setattr(parts, "open_tokenizer", counted)
    several = stela.load_all(tmp_path, registry=registry)
    assert len(parsed) == 1
    contexts = {id(several[f"{key}.stela"].contexts) for key in range(3)}
    assert len(contexts) == 1
    shared = several["0.stela"].contexts
    assert shared is not None
    calls: list[int] = []
    tag = shared.tagger.last_tags_within
    monkeypatch.setattr(
        shared.tagger,
        "last_tags_within",
        lambda texts, *given: calls.append(len(texts)) or tag(texts, *given),
    )
    texts = [random_text(1), random_text(2)]
    attributions = several.detect_many(texts)
    assert len(calls) == 1, "one call of the tagger for three profiles"
    for text, attribution in zip(texts, attributions, strict=True):
        for one in attribution.tested:
            alone = stela.load(tmp_path / one.name).detect(text)
            assert one.p_value == pytest.approx(min(1.0, 4 * alone.p_value), rel=1e-12)


def test_a_stranger_s_lenient_profile_is_left_out(
    registry: stela.Registry, tokenizer: Tokenizer, tmp_path: Path, folder: Path
) -> None:
    settings = Settings("kgw", alpha=0.5, allow_lenient=True)
    made = settings.create(registry, tokenizer, 9, public=True).archive
    made.write(tmp_path / "lenient.stela")
    shutil.copy(folder / "a.stela", tmp_path)
    several = stela.load_all(tmp_path, registry=registry)
    [left] = several.left_out
    assert "alpha = 0.5" in left.reason.message
    assert len(stela.load_all(tmp_path, registry=registry, allow_lenient=True)) == 2


def test_profiles_that_need_a_model_are_left_out_without_one(
    registry: stela.Registry, tokenizer: Tokenizer, tmp_path: Path
) -> None:
    archive(registry, tokenizer, 1, "ewd").write(tmp_path / "ewd.stela")
    archive(registry, tokenizer, 2).write(tmp_path / "kgw.stela")
    [left] = stela.load_all(tmp_path, registry=registry).left_out
    assert left.name == "ewd.stela"
    assert "model" in left.reason.message


def test_mistakes_are_one_line(
    folder: Path, registry: stela.Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(stela.StelaError, match="holds no profile"):
        stela.load_all(tmp_path)
    with pytest.raises(stela.StelaError, match="is not a folder"):
        stela.load_all(folder / "a.stela")
    with pytest.raises(stela.StelaError, match="cannot be read"):
        stela.load_all(tmp_path / "gone")
    shutil.copy(folder / "damaged.stela", tmp_path)
    shutil.copy(folder / "secret.stela", tmp_path)
    with pytest.raises(stela.StelaError, match=r"none of 2 profiles .* can be tested; damaged.stela: "):
        stela.load_all(tmp_path, registry=registry)
    monkeypatch.setattr(module, "MOST", 3)
    with pytest.raises(stela.StelaError, match="6 profiles, more than 3"):
        stela.load_all(folder, registry=registry)


def test_memory_is_bounded(folder: Path, registry: stela.Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    assert watermarks.MOST == 256
    size = (folder / "a.stela").stat().st_size
    monkeypatch.setattr(module, "TOKENIZERS", size // 100)
    with pytest.raises(stela.StelaError, match="have more than 0 MiB"):
        stela.load_all(folder, registry=registry)
