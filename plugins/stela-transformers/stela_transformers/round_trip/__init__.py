"""Which ids may come next, so that the text, tokenised again, is the same ids."""
