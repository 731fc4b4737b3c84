"""Files about the tokens of a vocabulary: named in profiles, kept for this user, made of a model."""
