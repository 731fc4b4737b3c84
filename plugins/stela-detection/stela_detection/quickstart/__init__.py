"""Remember between processes what was made of large tokenizers, so that a command starts fast."""
