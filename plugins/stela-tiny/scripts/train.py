"""Train the embedded model of stela-tiny: a Llama of 6 M parameters for English, Chinese and Korean.

    python scripts/train.py --data DATA/corpora --out stela_tiny/model --tokens 10_000_000

DATA/corpora holds ``{en,zh,ko}/*.jsonl.gz``, one document per line with a ``text``. Takes about an hour
on 2 cores. Prints the loss on held-out documents (nats per token) and writes it to ``training.json``.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from stela_corpora.corpus import Corpus
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from torch.nn import functional as F
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

LANGUAGES = ("en", "zh", "ko")
END = "<|end|>"
PAD = "<|pad|>"


def documents(data: Path, exclude: set[str]) -> list[tuple[str, str]]:
    """(language, text) of every document, in a fixed shuffled order."""
    texts: list[tuple[str, str]] = []
    for language in LANGUAGES:
        for path in sorted((data / language).glob("*.jsonl.gz")):
            if path.name.split(".")[0] in exclude:
                continue
            texts += [(language, text) for text in Corpus(path)]
    random.Random(0).shuffle(texts)
    return texts


def train_tokenizer(texts: Iterator[str], size: int) -> Tokenizer:
    """A byte-level BPE in the manner of GPT-2, digits one by one."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=[END, PAD],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def encode(tokenizer: Tokenizer, docs: list[tuple[str, str]]) -> np.ndarray:
    """All documents in one row of uint16 ids, each closed by the end token."""
    end = tokenizer.token_to_id(END)
    rows = []
    for start in range(0, len(docs), 256):
        encodings = tokenizer.encode_batch([text for _, text in docs[start : start + 256]])
        rows += [np.array([*encoding.ids, end], dtype=np.uint16) for encoding in encodings]
    return np.concatenate(rows)


def optimizers(model: LlamaForCausalLM) -> list[torch.optim.Optimizer]:
    """Muon for the matrices of the blocks, AdamW for embedding and norms."""
    blocks = [p for name, p in model.named_parameters() if p.ndim == 2 and "embed" not in name]
    others = [p for name, p in model.named_parameters() if p.ndim < 2 or "embed" in name]
    return [
        torch.optim.Muon(blocks, lr=0.02, weight_decay=0.01),
        torch.optim.AdamW(others, lr=0.004, betas=(0.9, 0.95), weight_decay=0.0, fused=True),
    ]


def loss_of(model: LlamaForCausalLM, batch: torch.Tensor, device: str) -> torch.Tensor:
    """Mean next-token cross entropy (nats) of rows of ids, shape (rows, length + 1)."""
    with torch.autocast(device, dtype=torch.bfloat16):
        logits = model(input_ids=batch[:, :-1], use_cache=False).logits
    return F.cross_entropy(logits.float().flatten(0, 1), batch[:, 1:].flatten())


@torch.no_grad()
def held_out_loss(model: LlamaForCausalLM, ids: np.ndarray, length: int, device: str) -> float:
    """Mean loss over a row of held-out ids, cut into blocks."""
    model.eval()  # type: ignore[no-untyped-call]
    blocks = len(ids) // (length + 1)
    rows = torch.from_numpy(ids[: blocks * (length + 1)].astype(np.int64)).view(blocks, length + 1)
    losses = [loss_of(model, rows[i : i + 16].to(device), device).item() for i in range(0, blocks, 16)]
    model.train()
    return sum(losses) / len(losses)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--exclude", nargs="*", default=["petitions"], help="corpora left out")
    parser.add_argument("--tokens", type=int, default=10_000_000)
    parser.add_argument("--vocabulary", type=int, default=8192)
    parser.add_argument("--hidden", type=int, default=256, help="a multiple of 64")
    parser.add_argument("--layers", type=int, default=5)
    parser.add_argument("--length", type=int, default=256, help="of the last third; half of it before")
    parser.add_argument("--rows", type=int, default=16, help="of the last third; twice as many before")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    torch.set_flush_denormal(True)  # numbers next to 0 make a CPU several times slower
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    docs = documents(args.data, set(args.exclude))
    cut = len(docs) // 100
    tokenizer = train_tokenizer((text for _, text in docs[cut:]), args.vocabulary)
    held_out = {
        language: encode(tokenizer, [d for d in docs[:cut] if d[0] == language]) for language in LANGUAGES
    }
    ids = encode(tokenizer, docs[cut:])
    print(f"{len(docs)} documents, {len(ids):,} training tokens, {device}", flush=True)

    config = LlamaConfig(
        vocab_size=args.vocabulary,
        hidden_size=args.hidden,
        intermediate_size=args.hidden * 11 // 4,
        num_hidden_layers=args.layers,
        num_attention_heads=args.hidden // 64,
        num_key_value_heads=args.hidden // 64,
        max_position_embeddings=2048,
        tie_word_embeddings=True,
        bos_token_id=tokenizer.token_to_id(END),
        eos_token_id=tokenizer.token_to_id(END),
        pad_token_id=tokenizer.token_to_id(PAD),
    )
    model = LlamaForCausalLM(config)
    model.to(device)  # type: ignore[arg-type]
    fast = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, bos_token=END, eos_token=END, pad_token=PAD
    )

    def save(step: int, losses: dict[str, float]) -> None:
        args.out.mkdir(parents=True, exist_ok=True)
        state = {name: tensor.to(torch.bfloat16) for name, tensor in model.state_dict().items()}
        config.dtype = torch.bfloat16
        small = LlamaForCausalLM(config)
        small.to(torch.bfloat16)  # type: ignore[arg-type]
        small.load_state_dict(state)
        small.save_pretrained(args.out)
        fast.save_pretrained(args.out)
        record = {
            "parameters": sum(p.numel() for p in model.parameters()),
            "training_tokens_in_corpus": len(ids),
            "steps": step,
            "tokens_seen": step * args.rows * args.length,
            "held_out_loss_nats_per_token": losses,
        }
        (args.out / "training.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")

    steps = args.tokens // (args.rows * args.length)
    groups = optimizers(model)
    base = [optimizer.param_groups[0]["lr"] for optimizer in groups]
    began = time.monotonic()
    for step in range(1, steps + 1):
        share = step / steps
        factor = min(1.0, step / 100) * (1.0 if share < 0.4 else (1.0 - share) / 0.6 + 0.01)
        for optimizer, rate in zip(groups, base, strict=True):
            optimizer.param_groups[0]["lr"] = rate * factor
        length, rows = (args.length // 2, args.rows * 2) if share < 2 / 3 else (args.length, args.rows)
        starts = rng.integers(0, len(ids) - length - 1, rows)
        batch = np.stack([ids[s : s + length + 1] for s in starts]).astype(np.int64)
        loss = loss_of(model, torch.from_numpy(batch).to(device), device)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in groups:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        if not math.isfinite(loss.item()):
            raise SystemExit(f"loss is {loss.item()} at step {step}")
        if step % 50 == 0:
            speed = 50 * args.rows * args.length / (time.monotonic() - began)
            began = time.monotonic()
            print(f"step {step}/{steps} loss {loss.item():.3f} {speed:,.0f} tokens/s", flush=True)
        if step % 500 == 0 or step == steps:
            losses = {k: round(held_out_loss(model, v, args.length, device), 3) for k, v in held_out.items()}
            losses["mean"] = round(sum(losses.values()) / len(losses), 3)
            print(f"step {step} held-out {losses}", flush=True)
            save(step, losses)


if __name__ == "__main__":
    main()
