"""A finished run is packed only where others could make it again; a file that was changed is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_cli.main import run
from stela_run.cells import environment
from stela_run.report.read import Run, read_run
from stela_run.submission.pack import submission_of
from stela_run.submission.schema import Number, Submission, digest_of, read_submission, to_bytes

import stela_core as stela

from .conftest import without_figures

COMMIT = "0123456789" * 4
FAST = ("--texts", "2", "--executor", "local")


@pytest.fixture(scope="module")
def made(workplace: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run and, beside it, its submission, from a checkout that has no changes."""
    folder = tmp_path_factory.mktemp("submitted")
    text = (workplace / "small.toml").read_text("utf-8").replace('metrics = ["vowels", "depth", "clock"]', "")
    text = text.replace(', { name = "shout", times = 3 }', "").replace("mean_bias = 1.0", "delta = 1.0")
    (folder / "it.toml").write_text(text, "utf-8")
    with pytest.MonkeyPatch.context() as patch, without_figures():
        patch.setattr(environment, "_commit", lambda: COMMIT)
        target = folder / "run.json"
        command = ["run", str(folder / "it.toml"), "-o", str(folder / "run"), "--data", str(workplace), *FAST]
        assert run([*command, "--submit", str(target)]) == 0
        first = target.read_bytes()
        assert run([*command, "--resume", "--submit", str(target)]) == 0
        assert target.read_bytes() == first, "the same run makes the same file"
    return folder


@pytest.mark.slow
def test_it_holds_plan_versions_and_values(made: Path) -> None:
    submission = read_submission(made / "run.json")
    records = [json.loads(line) for line in (made / "run" / "records.jsonl").read_text("utf-8").splitlines()]
    assert len(submission.records) == len(records)
    for submitted, record in zip(submission.records, records, strict=True):
        assert {name: each.model_dump() for name, each in submitted.values.items()} == record["values"]
        assert (submitted.label, submitted.length) == (record["label"], record["length"])
    assert submission.commit == COMMIT
    assert submission.versions["stela-core"] == records[0]["versions"]["stela-core"]
    assert submission.title == "Small"
    assert submission.experiment["lengths"] == [10, 20]
    assert str(made) not in (made / "run.json").read_text("utf-8"), "no folder of this machine"
    assert to_bytes(submission) == (made / "run.json").read_bytes()


def failed(run: Run) -> Run:
    return replace(run, records=[{**run.records[0], "error": "out of memory"}])


def unmeasured(run: Run) -> Run:
    return replace(run, records=[{**run.records[0], "errors": {"roc": "no texts."}}])


def of_commit(commit: str, all_of_them: bool = True) -> Callable[[Run], Run]:
    def changed(run: Run) -> Run:
        some = run.records if all_of_them else run.records[:1]
        there = {"commit": commit, "texts_made_with": {}, "shards_made_with": []}
        return replace(run, records=[{**each, **there} for each in some] + run.records[len(some) :])

    return changed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "why"),
    [
        (failed, "failed"),
        (unmeasured, "roc was not measured: no texts"),
        (lambda run: replace(run, sample=["en"]), "small shipped sample"),
        (of_commit("f" * 40 + "-dirty"), "changed checkout"),
        (of_commit("f" * 40, all_of_them=False), "several versions of commit"),
    ],
)
def test_what_nobody_could_compare_with_is_refused(
    made: Path, change: Callable[[Run], Run], why: str
) -> None:
    with pytest.raises(stela.StelaError, match=why) as caught:
        submission_of(change(read_run(made / "run")))
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_folders_are_named_by_their_last_part(made: Path) -> None:
    run = read_run(made / "run")
    where = str(made / "models" / "gemma")
    run.experiment["models"] = [where]
    metrics = [{"name": "quality-perplexity", "model": where}]
    moved = replace(
        run,
        experiment={**run.experiment, "metrics": metrics},
        records=[{**record, "model": where} for record in run.records],
    )
    submission = submission_of(moved)
    assert submission.experiment["models"] == ["gemma"]
    assert submission.experiment["metrics"] == [{"name": "quality-perplexity", "model": "gemma"}]
    assert {record.model for record in submission.records} == {"gemma"}


def small(**changes: Any) -> Submission:
    record = {"model": "tiny", "language": "en", "scheme": "kgw", "label": "kgw", "seed": 0, "attack": "none"}
    record |= {"texts": 5, "temperature": 1.0, "length": 50, "profile_sha256": "0" * 64}
    record |= {"values": {"f1": {"value": 0.5, "low": 0.25, "high": 0.75, "n": 5}}}
    content = {
        "digest": "d",
        "experiment": {"title": "It"},
        "commit": None,
        "versions": {},
        "records": [record],
    }
    return Submission.model_validate({**content, **changes})


def test_a_changed_number_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "it.json"
    file.write_bytes(to_bytes(small()))
    assert read_submission(file) == small()
    file.write_bytes(to_bytes(small()).replace(b"0.5", b"0.9"))
    with pytest.raises(stela.StelaError, match="was changed after it was made"):
        read_submission(file)


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"[]", b"{}", b'{"sha256": 3}', b"\xff\xfe", b"[" * 100_000),
        b'{"sha256": "x", "format": "stela submission 2"}',
        b'{"sha256": "x", "digest": "d", "records": []}',
    ],
)
def test_what_is_no_submission_is_refused_in_one_line(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "it.json"
    file.write_bytes(content)
    with pytest.raises(stela.StelaError) as caught:
        read_submission(file)
    assert "\n" not in str(caught.value)


json_values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=8), json_values, max_size=4))
def test_the_digest_is_of_the_content_alone(content: dict[str, Any]) -> None:
    again = json.loads(json.dumps(dict(reversed(content.items())), indent=3))
    assert digest_of(again) == digest_of(content)


@pytest.mark.parametrize(
    "number",
    [
        {"value": 0.9, "low": 0.1, "high": 0.5},
        {"value": 0.0, "low": 0.1, "high": 0.5},
        {"value": None, "low": 0.6, "high": 0.5},
        {"value": 0.9, "high": 0.5},
        {"value": float("inf")},
        {"value": 0.5, "low": float("nan"), "high": 0.6},
        {"value": 0.5, "n": -1},
    ],
)
def test_a_value_outside_its_interval_is_refused(number: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"outside of its interval|be a finite number|greater than or equal"):
        Number.model_validate(number)
    assert Number.model_validate({"value": 0.5, "low": 0.5, "high": 0.5, "n": 0}).value == 0.5
