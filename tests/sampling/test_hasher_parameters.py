"""Parameters that a hasher alone has are named like those of its scheme."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from stela_cli.main import build_cli
from stela_run.plan.plan import make_plan
from stela_run.plan.read import parse_experiment

import stela_core as stela
from stela_core.profile.create import Settings

PLUGIN = Path(__file__).parent / "plain_gumbel.py"


@pytest.fixture(scope="module")
def registry() -> stela.Registry:
    return stela.create_registry([PLUGIN])


def test_they_reach_the_hasher_and_the_profile_keeps_them(registry: stela.Registry, tmp_path: Path) -> None:
    values = {"once": False, "ties": "whole"}
    mark = stela.create("plain_gumbel", model="tiny", key="public", parameters=values, registry=registry)
    mark.save(tmp_path / "p.stela")
    for one in (mark, stela.load(tmp_path / "p.stela", registry=registry)):
        assert not one.parts.hasher.first_only
        assert one.parts.scorer.parameters.ties == "whole"
    assert mark.profile.hasher.parameters == {"once": False, "padded": False}
    assert "once" not in mark.profile.scheme.parameters


def test_names_of_options_and_of_other_parts_are_not_taken(registry: stela.Registry) -> None:
    settings = Settings("plain_gumbel", {"once": True, "repeats": "sum", "context_width": 3, "nothing": 1})
    divided = settings.divided(registry)
    assert divided.hasher_parameters == {"once": True}
    assert divided.parameters == {"repeats": "sum", "context_width": 3, "nothing": 1}
    assert divided.divided(registry) == divided


def test_unknown_names_are_refused(registry: stela.Registry) -> None:
    with pytest.raises(stela.StelaError, match='"onse"'):
        stela.create("plain_gumbel", model="tiny", parameters={"onse": 1}, registry=registry)
    with pytest.raises(stela.StelaError, match='hasher "plain_gumbel": once'):
        stela.create("plain_gumbel", model="tiny", parameters={"once": "perhaps"}, registry=registry)


def test_commands_take_them(registry: stela.Registry, tmp_path: Path) -> None:
    path = tmp_path / "p.stela"
    words = f"profile new --scheme plain_gumbel --model tiny --public-key --param once=false -o {path}"
    done = CliRunner().invoke(build_cli(registry), words.split())
    assert done.exit_code == 0, done.output
    assert not stela.load(path, registry=registry).parts.hasher.first_only


def test_experiments_take_them_and_texts_are_generated_with_them(
    registry: stela.Registry, tmp_path: Path
) -> None:
    (tmp_path / "en.jsonl").write_text('{"prompt": "A", "continuation": "b c d"}\n' * 3, encoding="utf-8")
    content = {
        "model": "tiny-small",
        "texts": 3,
        "languages": {"en": {"tagger": "penn", "prompts": "en.jsonl"}},
        "schemes": [
            {"name": "plain_gumbel"},
            {"name": "plain_gumbel", "label": "twice", "parameters": {"once": False}},
        ],
        "metrics": [],
    }
    plan = make_plan(registry, parse_experiment(content, "it"), tmp_path)
    marked = [cell.entry.parameters for cell in plan.generate if cell.entry.name.startswith("plain_gumbel")]
    assert sorted(marked, key=len) == [{}, {"once": False}]
