"""Models by name: a pinned revision is the one that is loaded, and nothing beside a model runs."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from stela_cli.main import run
from stela_interop.vocabulary import config_vocab_size
from stela_models import ModelSource
from stela_models.hub import Location, locate_model, revision_of
from stela_models.load import load_model, location_of
from stela_models.tokenizer import load_tokenizer
from stela_run.plan.read import parse_experiment

import stela_core as stela

NAME = "someone/a-model"
OLD, NEW = "0" * 39 + "1", "0" * 39 + "2"


class Touch:
    """Unpickled, it makes a file."""

    def __init__(self, marker: Path) -> None:
        self.marker = str(marker)

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path(self.marker),)


@pytest.fixture
def hub(registry: stela.Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What was downloaded of a model that has two commits, the older tagged v1; there is no network."""
    from huggingface_hub import constants

    cache = tmp_path / "hub"
    repository = cache / f"models--{NAME.replace('/', '--')}"
    for commit, temperature in ((OLD, 0.25), (NEW, 0.5)):
        snapshot = repository / "snapshots" / commit
        shutil.copytree(location_of(registry, "tiny-small"), snapshot)
        file = snapshot / "generation_config.json"
        content = json.loads(file.read_text(encoding="utf-8"))
        content |= {"temperature": temperature, "do_sample": True}
        file.write_text(json.dumps(content), encoding="utf-8")
    (repository / "refs").mkdir()
    for reference, commit in (("main", NEW), ("v1", OLD)):
        (repository / "refs" / reference).write_text(commit, encoding="utf-8")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
    return repository


@pytest.mark.slow
@pytest.mark.parametrize(
    ("revision", "temperature"), [("", 0.5), (f"@{OLD}", 0.25), (f"@{NEW}", 0.5), ("@v1", 0.25)]
)
def test_the_pinned_revision_is_loaded(
    hub: Path, registry: stela.Registry, revision: str, temperature: float
) -> None:
    name = NAME + revision
    model, tokenizer = load_model(registry, name, "cpu")
    assert model.generation_config is not None
    assert model.generation_config.temperature == temperature
    assert load_tokenizer(registry, name).get_vocab() == tokenizer.get_vocab()
    assert config_vocab_size(registry, name) == model.config.vocab_size


def test_a_revision_that_is_not_there(hub: Path, registry: stela.Registry) -> None:
    with pytest.raises(stela.StelaError, match="cannot be loaded"):
        load_model(registry, f"{NAME}@{'a' * 40}", "cpu")


@pytest.mark.parametrize("revision", ["", "-v1", "refs/pr/3", "v 1", "v1\n", "../main", "v1@v2", "ä"])
def test_what_is_no_revision(registry: stela.Registry, revision: str) -> None:
    name = f"{NAME}@{revision}"
    assert revision_of(name) is None
    if "@" in revision:
        assert locate_model(name, registry) == Location(name, None), (
            "taken as a whole, which is not a name on the Hub"
        )
        return
    with pytest.raises(stela.StelaError, match="is not a revision"):
        locate_model(name, registry)


def test_names_without_revisions(
    registry: stela.Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What worked without revisions works on: aliases, folders, an @ in a path or in a folder's name."""
    monkeypatch.chdir(tmp_path)
    Path("mine@home").mkdir()
    for name in ("mine@home", "./not@there", str(tmp_path / "a@b"), NAME, "gpt2"):
        assert locate_model(name, registry) == Location(name, None)
        assert location_of(registry, name) == name
    assert locate_model("tiny", registry).revision is None
    assert location_of(registry, "tiny") == registry.get(ModelSource, "tiny").location()
    with pytest.raises(stela.StelaError, match='"tiny" is an alias'):
        locate_model("tiny@v1", registry)


def experiment(models: list[Any]) -> dict[str, Any]:
    return {"models": models, "languages": {"en": {"tagger": "penn"}}, "schemes": [{"name": "kgw"}]}


def test_an_experiment_pins_revisions() -> None:
    models = ["tiny", f"{NAME}@v1", {"name": NAME, "revision": OLD}, {"name": "gpt2"}]
    found = parse_experiment(experiment(models), "experiment")
    assert found.models == ["tiny", f"{NAME}@v1", f"{NAME}@{OLD}", "gpt2"]
    for wrong in (
        {"name": NAME, "revision": "refs/pr/1"},
        {"name": "./folder", "revision": "v1"},
        {"name": NAME, "commit": OLD},
        {"revision": "v1"},
        f"{NAME}@-v1",
    ):
        with pytest.raises(stela.StelaError, match=r"models"):
            parse_experiment(experiment([wrong]), "experiment")


@pytest.mark.slow
def test_records_name_the_revision(hub: Path, tmp_path: Path) -> None:
    file = tmp_path / "e.toml"
    file.write_text(
        f'lengths = [8]\ntexts = 2\nnegatives = false\nmetrics = ["roc"]\n'
        f'models = ["tiny-small", {{ name = "{NAME}", revision = "v1" }}]\n'
        '[languages.en]\ntagger = "penn"\n[[schemes]]\nname = "kgw"\n',
        encoding="utf-8",
    )
    assert run(["run", str(file), "-o", str(tmp_path / "out")]) == 0
    lines = (tmp_path / "out" / "records.jsonl").read_text(encoding="utf-8").splitlines()
    found = {(record["model"], record.get("revision")) for record in map(json.loads, lines)}
    assert found == {("tiny-small", None), (f"{NAME}@v1", "v1")}


@pytest.fixture
def folder(registry: stela.Registry, tmp_path: Path) -> Path:
    """A copy of a small model."""
    return shutil.copytree(location_of(registry, "tiny-small"), tmp_path / "model")


def change(file: Path, **changes: Any) -> None:
    content = {**json.loads(file.read_text(encoding="utf-8")), **changes}
    file.write_text(json.dumps(content), encoding="utf-8")


@pytest.mark.parametrize("what", ["config.json", "tokenizer_config.json"])
def test_code_beside_a_model_is_not_run(
    registry: stela.Registry, folder: Path, tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even where standard input, which may hold a stranger's text, says yes to transformers."""
    marker = tmp_path / "marker"
    code = f"import pathlib\npathlib.Path({str(marker)!r}).touch()\n"
    (folder / "own.py").write_text(code, encoding="utf-8")
    if what == "config.json":
        kinds = {"AutoConfig": "own.Own", "AutoModelForCausalLM": "own.Own"}
        change(folder / what, model_type="of-its-own", auto_map=kinds)
    else:
        change(folder / what, tokenizer_class="Own", auto_map={"AutoTokenizer": ["own.Own", "own.Own"]})
        change(folder / "config.json", model_type="of-its-own")
        (folder / "tokenizer.json").unlink()
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n" * 9))
    loaders = [load_model] if what == "config.json" else [load_model, load_tokenizer]
    for load in loaders:
        with pytest.raises(stela.StelaError) as caught:
            load(registry, str(folder))
        assert "\n" not in str(caught.value)
    assert not marker.exists()


def test_pickled_weights_are_not_unpickled(registry: stela.Registry, folder: Path, tmp_path: Path) -> None:
    import torch

    (folder / "model.safetensors").unlink()
    torch.save({"lm_head.weight": Touch(tmp_path / "marker")}, folder / "pytorch_model.bin")
    with pytest.raises(stela.StelaError, match="cannot be loaded"):
        load_model(registry, str(folder), "cpu")
    assert not (tmp_path / "marker").exists()


def test_kernels_of_the_hub_are_not_run(registry: stela.Registry, folder: Path) -> None:
    change(folder / "config.json", attn_implementation="someone/a-kernel")
    with pytest.raises(stela.StelaError, match='attention by "someone/a-kernel", which is code'):
        load_model(registry, str(folder), "cpu")
