"""What docs/serving.md and the README say of vLLM is what the code knows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from stela_serving import settings
from stela_serving.asked import ARGUMENT

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "serving.md").read_text(encoding="utf-8")


def test_variables_policies_and_wishes() -> None:
    own = {settings.PROFILE, settings.POLICY, settings.KEY_FILE, settings.RECORD}
    assert set(re.findall(r"STELA_\w+", PAGE)) == own | {"STELA_KEY"}
    assert all(f"`{policy}`" in PAGE for policy in settings.POLICIES)
    assert f'`{{"{ARGUMENT}": "NAME"}}`, `"{settings.ON}"` or `"{settings.OFF}"`' in PAGE


@pytest.mark.parametrize("page", ["README.md", "docs/serving.md"])
def test_the_three_lines(page: str) -> None:
    """The same everywhere; the option is what the test on a real vLLM serves with."""
    text = (ROOT / page).read_text(encoding="utf-8")
    [block] = re.findall(r"```\n(pip install stela-core stela-vllm.*?)```", text, re.DOTALL)
    option = "--logits-processors stela_vllm:Processor"
    assert block.splitlines() == [
        "pip install stela-core stela-vllm stela-kgw",
        "export STELA_PROFILE=p.stela",
        f"vllm serve MODEL {option}",
    ]
    server = (ROOT / "scripts" / "serving" / "vllm_server.py").read_text(encoding="utf-8")
    assert '"--logits-processors", "stela_vllm:Processor"' in server
