"""What taggers made on spaCy share: loading, cutting, tagging, the fast path for a text's last words.

Nothing here imports spaCy before a tagger is constructed.
"""
