"""The watermark in llama.cpp, by way of llama-cpp-python's logits processors. No torch is needed.

from llama_cpp import Llama, LogitsProcessorList
from stela_llamacpp import Processor

llama = Llama("model.gguf")
processor = Processor(stela.load("p.stela"), llama)
llama.create_completion(prompt, logits_processor=LogitsProcessorList([processor]))
"""

from stela_llamacpp.processor import Processor
from stela_llamacpp.vocabulary import require_same_pieces

__all__ = ["Processor", "require_same_pieces"]
