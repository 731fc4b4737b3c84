"""``stela generate``: several prompts, chat templates, top-p and top-k."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from stela_models.load import location_of
from stela_models.prompts import encode_prompts
from stela_testing import assert_refused
from stela_transformers.round_trip.cut_again import read

import stela_core as stela
from tests.commands import Stela

TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "{% if message.role == 'system' and message.content == 'refuse' %}"
    "{{ raise_exception('System role not supported') }}{% endif %}"
    "[{{ message.role }}] {{ message.content }}\n{% endfor %}[assistant]"
)


@pytest.fixture(scope="module")
def chat_model(tmp_path_factory: pytest.TempPathFactory, registry: stela.Registry) -> Path:
    """The embedded model with a chat template beside it."""
    folder = tmp_path_factory.mktemp("chat") / "model"
    shutil.copytree(location_of(registry, "tiny"), folder)
    (folder / "chat_template.jinja").write_text(TEMPLATE)
    return folder


@pytest.mark.slow
def test_a_repeated_prompt_writes_all(stela_: Stela, profiles: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    common = ("generate", "--profile", profiles["kgw"], "--model", "tiny", "--max-new-tokens", 5)
    made = stela_(*common, "--prompt", "One day", "--prompt", "그는", "--prompt", "One day", "--json")
    assert [record["prompt"] for record in made.json] == ["One day", "그는", "One day"]
    done = stela_(*common, "--prompt", "One day", "--prompt", "그는", "-o", out)
    assert done.out.startswith(f"{out}: wrote 2 texts, mean bias ")


@pytest.mark.deep(keep=["kgw"])
@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["kgw", "kgw+ewd"])
def test_texts_that_will_not_be_found_are_told(stela_: Stela, tmp_path: Path, scheme: str) -> None:
    profile, out = tmp_path / "p.stela", tmp_path / "out.jsonl"
    stela_(
        "profile",
        "new",
        "--scheme",
        scheme,
        "--language",
        "en",
        "--model",
        "tiny",
        "--public-key",
        "-o",
        profile,
    )
    common = ("generate", "--profile", profile, "--model", "tiny", "--prompt", "One day", "-o", out)
    short = stela_(*common, "--prompt", "The city", "--max-new-tokens", 5, "--min-new-tokens", 5)
    assert short.status == 0
    assert short.err.startswith("note: not found at p <= 0.001: 2 of 2 texts (5 tokens). hint: write longer")
    enough = stela_(*common, "--max-new-tokens", 150, "--min-new-tokens", 150, "--force")
    assert enough.status == 0
    assert enough.err == ""


@pytest.mark.slow
def test_chat(stela_: Stela, profiles: dict[str, Path], chat_model: Path) -> None:
    common = ("generate", "--profile", profiles["kgw"], "--max-new-tokens", 5, "--json", "--chat")
    [one] = stela_(*common, "--model", chat_model, "--prompt", "Who?", "--system", "Be brief.").json
    assert one["prompt"] == "<|end|>[system] Be brief.\n[user] Who?\n[assistant]"
    [two] = stela_(*common, "--model", chat_model, "--prompt", "Who?").json
    assert two["prompt"] == "<|end|>[user] Who?\n[assistant]"
    assert_refused(
        stela_(*common, "--model", "tiny", "--prompt", "Who?"), "no chat template", "leave --chat out"
    )
    refused = stela_(*common, "--model", chat_model, "--prompt", "Who?", "--system", "refuse")
    assert_refused(refused, "System role not supported", "leave --system out")
    system = (
        "generate",
        "--profile",
        profiles["kgw"],
        "--model",
        "tiny",
        "--prompt",
        "Who?",
        "--system",
        "x",
    )
    assert_refused(stela_(*system), "--system", "add --chat")


def test_a_prompt_with_its_beginning_token_gets_no_other(registry: stela.Registry) -> None:
    """Chat templates write it, and tokenizers of many models would write it again."""
    from tokenizers.processors import TemplateProcessing

    tokenizer = stela.load_model("tiny", registry=registry).tokenizer
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
        single="<|end|> $A", special_tokens=[("<|end|>", 0)]
    )
    alone = [encode_prompts(tokenizer, [p])["input_ids"][0].tolist() for p in ("a b", "<|end|>a b")]
    assert alone[0] == alone[1]
    assert alone[0].count(0) == 1
    both = encode_prompts(tokenizer, ["a b", "<|end|>a b"])
    assert both["input_ids"].tolist() == alone


@pytest.mark.slow
def test_likeliest_tokens_alone(stela_: Stela, profiles: dict[str, Path], tmp_path: Path) -> None:
    """One token to draw from is greedy; the bias comes before, so the mark stays."""
    common = ("generate", "--profile", profiles["kgw"], "--model", "tiny", "--prompt", "The history of")
    short = (*common, "--max-new-tokens", 12, "--json")
    [greedy] = stela_(*short, "--temperature", 0).json
    for option in (("--top-k", 1), ("--top-p", 1e-6)):
        [one] = stela_(*short, "--temperature", 1.5, "--seed", 4, *option).json
        assert one["token_ids"] == greedy["token_ids"]
    [free] = stela_(*short, "--temperature", 1.5, "--seed", 4).json
    assert free["token_ids"] != greedy["token_ids"]
    out = tmp_path / "out.jsonl"
    options = ("--max-new-tokens", 120, "--min-new-tokens", 120, "--top-k", 50, "--top-p", 0.95)
    assert stela_(*common, *options, "-o", out).status == 0
    [found] = stela_("detect", "--profile", profiles["kgw"], out, "--json").json
    assert found["verdict"] == "watermarked"
    assert_refused(stela_(*common, "--temperature", 0, "--top-k", 5), "temperature 0", "change nothing")
    for option in (("--top-p", 0), ("--top-p", 1.5), ("--top-k", 0)):
        assert_refused(stela_(*common, *option), str(option[0]))


@pytest.mark.deep(
    stand_in="plugins/stela-cli/tests/test_generate_messages.py::test_each_text_carries_what_was_asked"
)
@pytest.mark.slow
def test_round_trip(stela_: Stela, profiles: dict[str, Path]) -> None:
    common = ("generate", "--profile", profiles["kgw"], "--model", "tiny", "--max-new-tokens", 60, "--json")
    prompts = [
        word for _ in range(4) for word in ("--prompt", "One day", "--prompt", "그는", "--prompt", "城市")
    ]
    watermark = stela.load(profiles["kgw"])
    same = {}
    for options in ((), ("--round-trip",)):
        made = stela_(*common, *prompts, "--temperature", 1.2, *options).json
        # A text that ends within a character loses that.
        whole = [one for one in made if not read(b"".join(watermark.tokens[i] for i in one["token_ids"]))[1]]
        texts = watermark.detector.ids_of([one["text"] for one in whole])
        same[options] = [one["token_ids"] == ids for one, ids in zip(whole, texts, strict=True)]
    assert all(same[("--round-trip",)])
    assert len(same[("--round-trip",)]) > 6
    assert not all(same[()])
