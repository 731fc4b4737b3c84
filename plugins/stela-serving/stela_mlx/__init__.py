"""The watermark in mlx-lm, as one of its logits processors. No torch is needed.

from mlx_lm import generate, load
from stela_mlx import Processor

model, tokenizer = load(folder)
processor = Processor(stela.load("p.stela"), tokenizer)
generate(model, tokenizer, prompt, logits_processors=[processor])
"""

from stela_mlx.processor import Processor

__all__ = ["Processor"]
