"""What a command writes never takes the place of what a user has, unless asked."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from stela_models.tokenizer import load_tokenizer

import stela_core as stela
from stela_core.profile.archive import Archive
from tests.commands import Stela, whole_cli

NEW = ("profile", "new", "--scheme", "kgw", "--model", "tiny-small", "--public-key")
MINE = b"what a user has"


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


def test_every_command_that_writes_a_file_has_force(registry: stela.Registry) -> None:
    """Those of plugins, too; ``run``, ``compare`` and two others write a folder; a key is never replaced."""
    found = {}
    for name, command in commands(whole_cli(registry)):
        options = {option for parameter in command.params for option in parameter.opts}
        folders = ("run", "compare", "paper prompts", "language new")
        if "-o" in options and name not in (*folders, "key new", "key signing"):
            found[name] = "--force" in options
    assert set(found) >= {"profile new", "profile import", "generate", "lambda build", "lambda learn"}
    assert all(found.values()), found


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("inputs")
    text = "The river froze, and for six weeks no ship could reach the town at all. " * 20
    files = {
        "kgw.json": json.dumps(
            {"gamma": 0.5, "delta": 2.0, "hash_key": 15485863, "seeding_scheme": "simple_1"}
        ),
        "corpus.jsonl": json.dumps({"text": text}) + "\n",
        "tree.conllu": "1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\t_\n2\tship\tship\tNOUN\tNN\t_\t0\troot\t_\t_\n\n",
    }
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    return {name: folder / name for name in files}


def test_what_exists_is_refused_before_any_work(
    stela_: Stela, tmp_path: Path, inputs: dict[str, Path], profiles: dict[str, Path]
) -> None:
    """Each of the other arguments names nothing, and is not even looked at."""
    out = tmp_path / "out"
    out.write_bytes(MINE)
    nothing = tmp_path / "nothing"
    for words in [
        ("profile", "new", "--scheme", "kgw", "--model", nothing, "--public-key"),
        ("profile", "import", "--lm-watermarking", nothing, "--model", nothing),
        ("generate", "--profile", nothing, "--model", nothing, "--prompt", "a"),
        ("lambda", "build", "--conllu", nothing, "--k", 2),
        ("lambda", "build", "--tagger", "penn", "--corpus", nothing, "--k", 2),
        ("lambda", "learn", "--model", nothing, "--corpus", nothing),
    ]:
        refused = stela_(*words, "-o", out)
        assert refused.status == 2, words
        assert (
            refused.err
            == f'error: "{out}" exists. hint: name another file, or give --force to replace this one\n'
        )
        assert out.read_bytes() == MINE


@pytest.mark.slow
def test_force_replaces_and_keeps_the_mode(
    stela_: Stela, tmp_path: Path, inputs: dict[str, Path], profiles: dict[str, Path]
) -> None:
    for number, words in enumerate(
        [
            NEW,
            (
                "profile",
                "import",
                "--lm-watermarking",
                inputs["kgw.json"],
                "--model",
                "tiny-small",
                "--public-key",
            ),
            (
                "generate",
                "--profile",
                profiles["kgw"],
                "--model",
                "tiny",
                "--prompt",
                "a",
                "--max-new-tokens",
                4,
            ),
            ("lambda", "build", "--conllu", inputs["tree.conllu"], "--k", 1),
            (
                "lambda",
                "learn",
                "--model",
                "tiny-small",
                "--corpus",
                inputs["corpus.jsonl"],
                "--max-tokens",
                50,
            ),
        ]
    ):
        out = tmp_path / str(number)
        out.write_bytes(MINE)
        out.chmod(0o604)
        link = tmp_path / f"link{number}"
        link.symlink_to(out)
        done = stela_(*words, "-o", link, "--force")
        assert done.status == 0, done.err
        assert link.is_symlink()
        assert out.read_bytes() != MINE
        assert out.stat().st_mode & 0o777 == 0o604


@pytest.mark.slow
def test_generate_touches_nothing_before_all_fits(
    stela_: Stela, tmp_path: Path, profiles: dict[str, Path]
) -> None:
    """Even with --force: no model, a model with another tokenizer, an empty prompt, no profile."""
    out = tmp_path / "out.jsonl"
    (tmp_path / "empty.jsonl").write_text('{"prompt": ""}\n')
    for words in [
        ("--profile", profiles["kgw"], "--model", tmp_path / "none", "--prompt", "a"),
        ("--profile", other_tokenizer(stela_, tmp_path), "--model", "tiny", "--prompt", "a"),
        ("--profile", profiles["kgw"], "--model", "tiny", "--prompts", tmp_path / "empty.jsonl"),
        ("--profile", tmp_path / "none.stela", "--model", "tiny", "--prompt", "a"),
        ("--profile", profiles["kgw"], "--model", "tiny", "--device", "no", "--prompt", "a"),
    ]:
        for before in (None, MINE):
            out.unlink(missing_ok=True)
            if before is not None:
                out.write_bytes(before)
            refused = stela_("generate", *words, "-o", out, "--force")
            assert refused.status == 2, words
            assert (out.read_bytes() if out.exists() else None) == before, (words, refused.err)


def other_tokenizer(stela_: Stela, folder: Path) -> Path:
    """A profile of a model whose tokenizer is not that of ``tiny``."""
    found = json.loads(load_tokenizer(stela.create_registry(), "tiny").to_str())
    ids = found["model"]["vocab"]
    ids["A"], ids["B"] = ids["B"], ids["A"]
    model = folder / "other"
    model.mkdir()
    (model / "tokenizer.json").write_text(json.dumps(found), encoding="utf-8")
    profile = folder / "other.stela"
    made = stela_("profile", "new", "--scheme", "kgw", "--model", model, "--public-key", "-o", profile)
    assert made.status == 0, made.err
    return profile


@pytest.mark.slow
def test_generate_keeps_what_was_done(stela_: Stela, tmp_path: Path, profiles: dict[str, Path]) -> None:
    """The second batch fails; the first one's record is there, whole."""
    prompts, out = tmp_path / "prompts.jsonl", tmp_path / "out.jsonl"
    plugin = tmp_path / "failing.py"
    plugin.write_text(FAILING, encoding="utf-8")
    prompts.write_text('{"prompt": "The first"}\n{"prompt": "The second"}\n')
    profile = tmp_path / "f.stela"
    base = ("--plugin", plugin)
    new = ("profile", "new", "--scheme", "failing", "--model", "tiny-small", "--public-key", "-o", profile)
    assert stela_(*base, *new).status == 0
    words = ("generate", "--profile", profile, "--model", "tiny-small", "--prompts", prompts)
    stopped = stela_(*base, *words, "--batch-size", 1, "--max-new-tokens", 6, "-o", out)
    assert stopped.status == 2
    assert "that is all" in stopped.err
    assert [json.loads(line)["prompt"] for line in out.read_text().splitlines()] == ["The first"]


FAILING = """
import numpy as np
import stela_core as stela


class Failing(stela.Weighting):
    name = "failing"
    steps = 0

    def weights(self, positions):
        Failing.steps += 1
        if Failing.steps > 6:
            raise stela.StelaError("that is all.", "none")
        return np.ones(positions.count)


@stela.hookimpl
def stela_register_weightings():
    return Failing
"""


@pytest.mark.slow
def test_a_profile_goes_through_a_pipe_and_words_do_not(tmp_path: Path) -> None:
    """Standard output gets the file alone; what was made is told on standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "stela_cli", *NEW, "-o", "/dev/stdout"], capture_output=True, check=True
    )
    (tmp_path / "p.stela").write_bytes(done.stdout)
    assert Archive.read(tmp_path / "p.stela").profile.scheme.name == "kgw"
    assert done.stdout.endswith(b"\x00\x00"), "the end of a zip, and no line after it"
    assert b"scheme kgw" in done.stderr
