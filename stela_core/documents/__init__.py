"""Texts to test out of what people have: files of several kinds, folders, standard input."""
