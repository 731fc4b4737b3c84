"""Mark text with transformers, save the profile, and find the mark with the profile only."""

# $ python mark_and_detect.py [MODEL]  # a Hugging Face name or a folder; the tiny embedded model by default

import sys

import stela_core as stela

name = sys.argv[1] if len(sys.argv) > 1 else "tiny"
model, tokenizer = stela.load_model(name)
watermark = stela.create("learned-text", model=name, language="en", key="public")
watermark.save("example.stela")

prompt = tokenizer("The history of the city", return_tensors="pt", return_token_type_ids=False)
length = prompt["input_ids"].shape[1]
for title, processors in {"marked": [watermark.logits_processor(tokenizer)], "unmarked": []}.items():
    ids = model.generate(
        **prompt, do_sample=True, min_new_tokens=100, max_new_tokens=150, logits_processor=processors
    )
    text = tokenizer.decode(ids[0, length:], skip_special_tokens=True)  # the prompt is not part of the text
    detection = stela.load("example.stela").detect(text)  # no model from here on
    print(f"{title}: {detection.verdict}, p = {detection.p_value:.2g}")
