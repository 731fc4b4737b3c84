"""The code of the README."""

import re
from pathlib import Path


def test_the_readme_says_what_runs() -> None:
    page = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(code, {})
