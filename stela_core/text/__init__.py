"""Text: from token ids to the text before a token, its window and its POS context."""
