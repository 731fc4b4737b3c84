"""``stela trace`` as it is typed: what it prints, and one line for what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stela_audit.radioactivity.trace import trace_closed, trace_open
from stela_cli.candidate_files import read_candidates
from stela_testing import Finished, assert_refused, run_cli

import stela_core as stela
from stela_core.api import LanguageModel

from .conftest import KEY, Setting, mark

pytestmark = pytest.mark.slow


class Files:
    """A profile with its key file, prompts, texts, answers, and the trained model."""

    def __init__(self, setting: Setting, folder: Path) -> None:
        self.folder = folder
        self.profile, self.key = folder / "p.stela", folder / "key.txt"
        self.prompts, self.texts, self.answers = (
            folder / f"{name}.jsonl" for name in ("prompts", "texts", "ans")
        )
        setting.watermark.save(self.profile, key_file=self.key)
        rows = [{"prompt": prompt} for prompt in setting.prompts[:60]]
        self.prompts.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        texts = [{"text": text, "prompt": "The"} for text in setting.trained]
        self.texts.write_text("".join(f"{json.dumps(row)}\n" for row in texts), encoding="utf-8")
        self.answers.write_text(self.texts.read_text(encoding="utf-8"), encoding="utf-8")
        self.model = folder / "model"
        setting.marked.model.save_pretrained(self.model)
        setting.marked.tokenizer.save_pretrained(self.model)

    def trace(self, *arguments: object) -> Finished:
        return run_cli("trace", "--profile", self.profile, "--key-file", self.key, *arguments)


@pytest.fixture(scope="module")
def files(registry: stela.Registry, setting: Setting, tmp_path_factory: pytest.TempPathFactory) -> Files:
    secret = mark(registry, delta=3.0)
    return Files(setting._replace(watermark=secret), tmp_path_factory.mktemp("trace"))


def test_open_form_of_a_trained_model(files: Files) -> None:
    outcome = files.trace("--model", files.model, "--texts", files.texts)
    assert outcome.status == 0
    first, second, third = outcome.out.splitlines()
    assert first.startswith("p = ")
    assert first.endswith("it was trained on text of it, or writes with it")
    assert second.startswith("open form: 120 texts, ")
    assert third.endswith("A large p clears no model.")


def test_closed_form_of_a_trained_model_as_json(files: Files) -> None:
    outcome = files.trace(
        "--model", files.model, "--prompts", files.prompts, "--unmarked", "--max-new-tokens", 80, "--json"
    )
    said = json.loads(outcome.out)
    assert said["traced"]
    assert said["mode"] == "closed"
    assert said["texts"] == 60
    assert said["p_value"] < 1e-3


def test_an_untrained_model_shows_no_sign(files: Files) -> None:
    outcome = files.trace("--model", "tiny-small", "--texts", files.texts)
    assert outcome.status == 0
    assert "no sign that the model was trained" in outcome.out


def test_answers_of_a_model_that_others_hold(files: Files) -> None:
    outcome = files.trace("--answers", files.answers, "--tokens", 300, "--json")
    said = json.loads(outcome.out)
    assert said["unique_pairs"] == 300
    assert said["traced"]


def test_refuses_what_does_not_go_together(files: Files) -> None:
    model = ("--model", "tiny-small")
    assert_refused(files.trace(*model), "give one of --prompts, --answers and --texts, not none.")
    assert_refused(
        files.trace(*model, "--prompts", files.prompts, "--texts", files.texts), "not --prompts and"
    )
    assert_refused(files.trace("--texts", files.texts), "--texts needs the suspect model.", "add --model M")
    assert_refused(files.trace(*model, "--answers", files.answers), "--answers needs no --model.")
    assert_refused(files.trace(*model, "--texts", files.texts, "--mode", "closed"), "is for the open form")
    assert_refused(
        files.trace(*model, "--prompts", files.prompts, "--mode", "open"), "is for the closed form"
    )


def test_refuses_bad_files_and_models(files: Files, tmp_path: Path) -> None:
    plain = tmp_path / "plain.jsonl"
    plain.write_text('{"text": "Without a prompt."}\n', encoding="utf-8")
    assert_refused(files.trace("--answers", plain), 'plain.jsonl:1 has no "prompt"', "add --unmarked")
    assert_refused(files.trace("--answers", tmp_path / "none.jsonl"), "none.jsonl")
    assert_refused(files.trace("--model", "tiny-small", "--texts", tmp_path / "none.txt"), "none.txt")
    short = tmp_path / "short.txt"
    short.write_text("a\n", encoding="utf-8")
    outcome = files.trace("--model", "tiny-small", "--texts", short)
    assert "too few tokens count to tell" in outcome.out
    assert "open form: 1 text, " in outcome.out
    short.write_text("\n", encoding="utf-8")
    assert_refused(files.trace("--model", "tiny-small", "--texts", short), "no t")


def test_refuses_a_model_with_another_tokenizer(registry: stela.Registry, small: LanguageModel) -> None:
    watermark = stela.create("kgw", model="tiny", key=KEY, language="en", registry=registry)
    with pytest.raises(stela.StelaError, match="wrong tokenizer"):
        trace_open(watermark, small, ["A text."])


@pytest.mark.parametrize(
    ("scheme", "chosen", "why"),
    [
        ("sweet", {}, "weighs tokens by the logits of the model that marks"),
        ("exp-edit", {}, "aligns a whole text with its key"),
        ("kgw", {"bits": 8}, "marks carry messages"),
        ("unigram", {}, "shared by all contexts"),
        ("gumbel-textseal", {}, "shared by all contexts"),
    ],
)
def test_refuses_marks_without_a_valid_p_value(
    registry: stela.Registry, small: LanguageModel, scheme: str, chosen: dict[str, object], why: str
) -> None:
    watermark = mark(registry, scheme, **chosen)
    with pytest.raises(stela.StelaError, match=why) as refused:
        trace_closed(watermark, [], [])
    assert refused.value.hint


def test_the_key_is_in_no_output(files: Files) -> None:
    outcome = files.trace("--answers", files.answers)
    assert KEY not in outcome.out + outcome.err


def test_of_several_keys_p_values_are_times_their_number(
    files: Files, setting: Setting, tmp_path: Path
) -> None:
    candidates = tmp_path / "keys.jsonl"
    keys = [{"key_id": "ours", "key": KEY}, {"key_id": "other", "key": "0123456789abcdef"}]
    candidates.write_text("".join(f"{json.dumps(key)}\n" for key in keys), encoding="utf-8")
    candidates.chmod(0o600)
    several = stela.load(files.profile, candidates=read_candidates(candidates))
    one = stela.load(files.profile, files.key)
    texts = setting.trained[:30]
    traced, of_one = (trace_open(watermark, setting.marked, texts) for watermark in (several, one))
    assert traced.p_value == pytest.approx(2 * of_one.p_value)
    assert traced.to_dict()["key_id"] == "ours"
