"""Attacks of the runner, four plugins: edits, synonyms, rewriting by models, and forging a mark."""
