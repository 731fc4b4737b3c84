"""What the core asks for under the name ``quick_start``: the functions of this module."""

from stela_detection.quickstart.canonical_before import canonical_of_file as canonical_of_file
from stela_detection.quickstart.canonical_before import remember_canonical as remember_canonical
from stela_detection.quickstart.checked_before import open_tokenizer as open_tokenizer
