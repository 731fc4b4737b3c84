"""What docs/serving.md and the README say of vLLM is what the code knows."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

from stela_serving import settings
from stela_serving.asked import ARGUMENT, MESSAGE

ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs" / "serving.md").read_text(encoding="utf-8")
OPTION = "--logits-processors stela_vllm:Processor"


def test_variables_policies_and_wishes() -> None:
    own = {settings.PROFILE, settings.POLICY, settings.KEY_FILE, settings.RECORD}
    own |= {settings.MARK, settings.AUDIT}
    assert set(re.findall(r"STELA_\w+", PAGE)) == own | {"STELA_KEY"}
    assert all(f"`{policy}`" in PAGE for policy in settings.POLICIES)
    assert f'`{{"{ARGUMENT}": "NAME"}}`, `"{settings.ON}"` or `"{settings.OFF}"`' in PAGE
    assert f'`{{"{MESSAGE}": "1f"}}`' in PAGE


def test_option_is_that_of_the_readme_and_of_the_test_on_a_real_vllm() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.search(rf"^.*vllm serve \S+ {re.escape(OPTION)}$", readme, re.MULTILINE)
    server = (ROOT / "scripts" / "serving" / "vllm_server.py").read_text(encoding="utf-8")
    assert '"--logits-processors", "stela_vllm:Processor"' in server or "README.md" in server


def test_first_block_of_the_page_starts_a_server_that_marks() -> None:
    install, make, export, model, serve = re.findall(r"```\n(.*?)```", PAGE, re.DOTALL)[0].splitlines()
    installed = shlex.split(install)[2:]
    assert {"vllm", "stela-cli", "stela-serving", "stela-documents"} <= set(installed)
    for name in installed:
        assert name == "vllm" or (ROOT / "plugins" / name / "pyproject.toml").exists()
    words = shlex.split(make)
    assert f"stela-{words[words.index('--scheme') + 1]}" in installed
    assert export == f"export STELA_PROFILE={words[words.index('-o') + 1]}"
    [code] = re.findall(r'^MODEL=\$\(python -c "(.*)"\)$', model)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (Path(done.stdout.strip()) / "config.json").is_file()
    assert serve == f"vllm serve $MODEL --served-model-name tiny {OPTION}"
