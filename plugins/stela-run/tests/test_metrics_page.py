"""The page on metrics: its example runs, and its table names what is registered."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import stela_run
from stela_run.testing import make_sample

import stela_core as stela

PAGE = Path(__file__).parents[3] / "docs" / "metrics.md"
PLUGINS = ("roc", "quality", "fidelity", "code")


@pytest.mark.deep(
    stand_in="plugins/stela-run/tests/test_run.py::test_records_carry_what_is_needed_to_repeat_them"
)
@pytest.mark.slow
def test_example_measures(registry: stela.Registry, tmp_path: Path) -> None:
    code, *_ = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "commas.py").write_text(code, encoding="utf-8")
    mine = stela.create_registry([tmp_path / "commas.py"])
    sample = make_sample(registry)
    values = mine.get(stela_run.Metric, "commas")(stela.Parameters()).measure(sample)
    words = [word for one in sample.marked for word in one.text.split()]
    assert [value.name for value in values] == ["commas", "commas:unmarked"]
    assert values[0].n == 8
    assert (values[0].value > 0) == any("," in word for word in words)


def test_table_names_the_metrics(registry: stela.Registry) -> None:
    listed = re.findall(r"^\| `([a-z-]+)` \|.*\| (yes|no) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    registered = [
        (entry.component.name, "yes" if entry.component.attacked else "no")
        for entry in registry
        if issubclass(entry.component, stela_run.Metric) and entry.plugin in PLUGINS
    ]
    assert sorted(listed) == sorted(registered)


@pytest.mark.slow
def test_importing_the_plugins_imports_nothing_heavy() -> None:
    modules = ", ".join(entry.value for entry in entry_points(group="stela") if entry.name in PLUGINS)
    heavy = "{'torch', 'transformers', 'sklearn', 'scipy', 'pandas'}"
    code = f"import sys, {modules}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
