"""What taggers made on spaCy share: loading a pipeline, cutting long runs, tagging windows in batches.

Nothing here imports spaCy before a tagger is constructed.
"""
