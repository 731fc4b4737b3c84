"""A chat model that streams its answer to the terminal, marked; then the verdict on what was read."""

# $ python chat_streaming.py [MODEL]  # such as Qwen/Qwen3-0.6B; the tiny embedded model by default

import sys
from threading import Thread

from transformers import TextIteratorStreamer

import stela_core as stela

name = sys.argv[1] if len(sys.argv) > 1 else "tiny"
model, tokenizer = stela.load_model(name)
if tokenizer.chat_template is None:  # the tiny model was never taught to chat
    tokenizer.chat_template = "{% for message in messages %}{{ message.content }}\n{% endfor %}"
watermark = stela.create("learned-text", model=name, language="en", key="public")

messages = [{"role": "user", "content": "Tell me about the history of the city."}]
prompt = tokenizer.apply_chat_template(
    messages, add_generation_prompt=True, return_tensors="pt", return_dict=True
)
streamer = TextIteratorStreamer(tokenizer, skip_prompt=True, skip_special_tokens=True)
arguments = {
    "input_ids": prompt["input_ids"],
    "attention_mask": prompt["attention_mask"],
    "do_sample": True,
    "min_new_tokens": 100,  # short answers may hold too little evidence
    "max_new_tokens": 150,
    "streamer": streamer,
    "logits_processor": [watermark.logits_processor(tokenizer)],
}
Thread(target=model.generate, kwargs=arguments).start()
answer = ""
for piece in streamer:
    print(piece, end="", flush=True)
    answer += piece
print(f"\n\n{watermark.detect(answer)}")
