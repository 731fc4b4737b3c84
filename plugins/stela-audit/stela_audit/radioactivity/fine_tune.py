"""Fine-tuning a copy of a model on texts: for experiments on how much of a mark a model learns."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy

import numpy as np
import torch
from torch.nn import functional as F

from stela_core.api import LanguageModel


def fine_tuned(
    language_model: LanguageModel,
    rows: Sequence[Sequence[int]],
    epochs: int = 3,
    rate: float = 1e-3,
    batch_size: int = 8,
    seed: int = 0,
) -> LanguageModel:
    """A copy of the model after AdamW on the next-token cross entropy of texts, all weights trained.

    Args:
        language_model: model and tokenizer; the model is not changed.
        rows: token ids of each text, at least two each.
        epochs: times that each text is read, in a new order.
        rate: learning rate at first; it falls to 0 linearly.
        batch_size: texts of a step.
        seed: of the orders.
    """
    model = deepcopy(language_model.model).float().train()  # type: ignore[no-untyped-call]
    device, rng = model.device, np.random.default_rng(seed)
    steps = epochs * -(-len(rows) // batch_size)
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 1 / steps, steps)
    for _ in range(epochs):
        order = rng.permutation(len(rows))
        for start in range(0, len(rows), batch_size):
            batch = [torch.tensor(rows[n]) for n in order[start : start + batch_size].tolist()]
            # Behind a text's end anything may stand: nothing looks back at it, and no loss is taken there.
            ids = torch.nn.utils.rnn.pad_sequence(batch, batch_first=True).to(device)
            wanted = torch.nn.utils.rnn.pad_sequence(batch, batch_first=True, padding_value=-100).to(device)
            logits = model(input_ids=ids[:, :-1], use_cache=False).logits
            loss = F.cross_entropy(logits.float().flatten(0, 1), wanted[:, 1:].flatten(), ignore_index=-100)
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            schedule.step()
    return LanguageModel(model.eval(), language_model.tokenizer)
