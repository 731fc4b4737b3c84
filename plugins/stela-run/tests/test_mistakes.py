"""Every mistake in an experiment is found before any work, and all are listed at once."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from stela_cli.main import run
from stela_interop.vocabulary import config_vocab_size
from stela_models.find import require_model
from stela_models.tokenizer import load_tokenizer
from stela_run.cells.marks import Marks
from stela_run.mistakes import Findings, find_mistakes
from stela_run.plan.read import parse_experiment

import stela_core as stela

BASE: dict[str, Any] = {
    "model": "tiny-small",
    "texts": 2,
    "languages": {"en": {"tagger": "penn", "prompts": "en.jsonl"}},
    "schemes": [{"name": "kgw"}],
    "metrics": [],
}


def check(registry: stela.Registry, folder: Path, **content: Any) -> Findings:
    base = {name: of for name, of in BASE.items() if name != "model" or "models" not in content}
    return find_mistakes(registry, parse_experiment({**base, **content}, "it"), folder)


def language(**content: Any) -> dict[str, Any]:
    return {"en": {"tagger": "penn", "prompts": "en.jsonl", **content}}


STELA = [{"name": "stela"}]

MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"schemes": [{"name": "kgv"}]}, 'unknown scheme "kgv". hint: did you mean "kgw"?'),
    ({"schemes": [{"name": "kgw", "parameters": {"dleta": 1}}]}, 'has no parameter "dleta"'),
    ({"schemes": [{"name": "kgw", "parameters": {"delta": -1.0}}]}, "delta: input should be greater than"),
    ({"schemes": [{"name": "kgw+ew"}]}, '"ew"'),
    ({"schemes": [{"name": "kgw", "gamma": 0.5, "context_width": 99}]}, "context_width"),
    ({"schemes": [{"name": "gumbel", "mean_bias": 1.0}]}, "has no delta to set its mean bias by"),
    ({"schemes": [{"name": "kgw", "delta": 1, "mean_bias": 1}]}, "has a delta, which sets its mean bias"),
    ({"schemes": [{"name": "gumbel", "divergence": 0.01}]}, "has no delta to set its divergence by"),
    ({"schemes": [{"name": "stela", "k": 7}]}, "ships no table for k = 7"),
    ({"schemes": [{"name": "kgw"}, {"name": "kgw"}]}, '2 schemes are called "kgw"'),
    ({"schemes": STELA, "languages": language(tagger="pen")}, 'did you mean "penn"?'),
    ({"schemes": STELA, "languages": language(tagger="penn:no-such")}, "no-such"),
    ({"schemes": STELA, "languages": language(table="none.json")}, "none.json"),
    ({"schemes": STELA, "languages": language(table="en.jsonl")}, "table"),
    ({"languages": language(prompts="none.jsonl")}, "none.jsonl"),
    ({"languages": language(human="none.jsonl")}, "none.jsonl"),
    ({"model": "./none"}, 'model "./none" is not there'),
    ({"models": ["tiny-small", "folder"]}, "no config.json and no weights"),
    ({"attacks": ["shot"]}, 'did you mean "shout"?'),
    ({"attacks": [{"name": "shout", "times": "x"}]}, 'attack "shout": times:'),
    ({"attacks": [{"name": "shout", "time": 1}]}, 'did you mean "times"?'),
    ({"attacks": [{"name": "wordnet", "path": "none.zip"}]}, "none.zip"),
    ({"attacks": [{"name": "paraphrase-translate", "there": "./no", "back": "./no"}]}, 'model "./no"'),
    ({"metrics": ["vowel"]}, 'did you mean "vowels"?'),
    ({"metrics": [{"name": "roc", "rates": [2.0]}]}, 'metric "roc": rates'),
    ({"metrics": ["quality-perplexity"]}, 'metric "quality-perplexity": model: field required'),
    ({"metrics": [{"name": "quality-perplexity", "model": "./no"}]}, 'model "./no"'),
    ({"metrics": [{"name": "analysis-classes", "tagger": "pen"}]}, 'did you mean "penn"?'),
    ({"metrics": [{"name": "analysis-freedom", "model": "./no"}]}, 'model "./no"'),
    ({"executor": {"name": "lokal"}}, 'did you mean "local"?'),
    ({"executor": {"name": "local", "workers": 0}}, "workers"),
    ({"device": "abacus"}, 'device "abacus" cannot be used'),
]


@pytest.fixture
def folder(workplace: Path, tmp_path: Path) -> Path:
    (tmp_path / "en.jsonl").write_bytes((workplace / "en.jsonl").read_bytes())
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(("content", "message"), MISTAKES, ids=lambda value: str(value)[:60])
def test_each_is_found(
    mine: stela.Registry, folder: Path, content: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    [mistake] = check(mine, folder, **content).mistakes
    assert message in str(mistake)
    assert mistake.hint
    assert "\n" not in str(mistake)


def test_a_good_experiment_has_none(mine: stela.Registry, folder: Path) -> None:
    """With a part of each kind that has parameters of its own."""
    found = check(
        mine,
        folder,
        schemes=[{"name": "kgw", "delta": 1.0}, {"name": "stela", "mean_bias": 1.0}, {"name": "kgw+ewd"}],
        attacks=["none", {"name": "shout", "times": 2}],
        metrics=["roc", {"name": "quality-perplexity", "model": "tiny"}],
        device="cpu",
    )
    assert found.mistakes == []


def test_all_are_listed_before_any_work(
    workplace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (workplace / "small.toml").read_text(encoding="utf-8")
    for old, new in [
        ('"vowels"', '"vowel"'),
        ("times = 3", 'times = "x"'),
        ('name = "kgw"', 'name = "kgv"'),
        ('tagger = "penn"', 'tagger = "pen"'),
        ('model = "tiny-small"', 'model = "./none"'),
    ]:
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "bad.toml").write_text(text, encoding="utf-8")
    command = ["--plugin", str(workplace / "mine.py"), "run", str(tmp_path / "bad.toml")]
    command += ["-o", str(tmp_path / "out"), "--data", str(workplace)]
    assert run(command) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 5
    assert all(line.startswith("error: ") and " hint: " in line for line in lines)
    for part in ("./none", "kgv", "pen", "shout", "vowel"):
        assert any(part in line for line in lines), part
    assert not (tmp_path / "out").exists()


def test_misspelt_keys_are_listed_at_once_with_what_is_wrong_beside_them(
    workplace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of the file, its tables, grids, schemes' parameters, attacks and metrics, in one go."""
    (tmp_path / "bad.toml").write_text(
        """
modell = "tiny-small"
temprature = 1.0
[languages.en]
tager = "pen"
promts = "en.jsonl"
[[schemes]]
name = "stela"
dleta = 1.0
[[schemes]]
name = "kgw"
parameters = {dleta = 1.0, wieght = 2}
[[grid]]
name = ["kgw", "unigram"]
delta = [1.0, 2.0]
gama = 0.25
[[attacks]]
name = "shout"
time = 1
tmies = "x"
[[metrics]]
name = "roc"
rate = [0.1]
""",
        encoding="utf-8",
    )
    command = ["--plugin", str(workplace / "mine.py"), "run", str(tmp_path / "bad.toml"), "--keep-going"]
    command += ["-o", str(tmp_path / "out"), "--data", str(workplace)]
    assert run(command) == 2
    lines = capsys.readouterr().err.splitlines()
    wanted = [
        ('unknown key "modell".', 'did you mean "model"?'),
        ('unknown key "temprature".', 'did you mean "temperature"?'),
        ('unknown key "languages.en.tager".', 'did you mean "tagger"?'),
        ('unknown key "languages.en.promts".', 'did you mean "prompts"?'),
        ('unknown key "schemes.0.dleta".', 'did you mean "delta"?'),
        ('unknown key "grid.0.gama".', 'did you mean "gamma"?'),
        ('unknown tagger "pen".', 'did you mean "penn"?'),
        ('scheme "kgw" has no parameter "dleta".', 'did you mean "delta"?'),
        ('scheme "kgw" has no parameter "wieght".', "known are: delta"),
        ('attack "shout" has no parameter "time".', 'did you mean "times"?'),
        ('attack "shout" has no parameter "tmies".', 'did you mean "times"?'),
        ('metric "roc" has no parameter "rate".', 'did you mean "rates"?'),
    ]
    for message, hint in wanted:
        assert [line for line in lines if message in line and hint in line], (message, lines)
    assert len(lines) == len(wanted), lines
    assert not (tmp_path / "out").exists()


def test_the_taggers_of_the_check_are_those_of_the_run(mine: stela.Registry, folder: Path) -> None:
    from stela_run.cells.marks import Marks

    found = check(mine, folder, schemes=STELA)
    assert Marks(mine, folder).tagger("penn") is found.marks.tagger("penn")


def test_a_name_that_cannot_be_asked_for_is_told(
    registry: stela.Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client raises what it does without a network; and where the Hub says there is no such model."""
    import httpx
    from huggingface_hub import HfApi
    from huggingface_hub.errors import OfflineModeIsEnabled, RepositoryNotFoundError, RevisionNotFoundError

    def answer(error: Exception) -> None:
        def asked(*_: object, **__: object) -> None:
            raise error

        monkeypatch.setattr(HfApi, "model_info", asked)

    answer(OSError("no network"))
    note = require_model(registry, "tinny")
    assert note is not None
    assert 'model "tinny" is not on this machine, and the Hub could not be reached' in note
    assert 'did you mean "tiny", an alias?' in note
    for load in (stela.load_model, partial(load_tokenizer, registry), partial(config_vocab_size, registry)):
        with pytest.raises(stela.StelaError, match=r'model "tinny" is not on .* hint: did you mean "tiny"\?'):
            load("tinny")
    with pytest.raises(stela.StelaError, match=r"could not be reached.*hint: fetch it while online"):
        Findings(registry, None, Marks(registry, None)).model("some/model")
    answer(OfflineModeIsEnabled("offline"))
    with pytest.raises(stela.StelaError, match="HF_HUB_OFFLINE"):
        require_model(registry, "some/model")
    response = httpx.Response(404, request=httpx.Request("GET", "https://example.org"))
    answer(RepositoryNotFoundError("no", response=response))
    with pytest.raises(stela.StelaError, match=r"neither an alias nor on this machine nor on the Hub"):
        require_model(registry, "tinny")
    answer(RevisionNotFoundError("no", response=response))
    with pytest.raises(stela.StelaError, match=r'model "some/model" has no revision "v1"'):
        require_model(registry, "some/model@v1")
