"""``stela sentence``: marks of whole sentences."""

from __future__ import annotations

from stela_cli.group import Group

from stela_sentence.detect_command import detect
from stela_sentence.generate_command import generate
from stela_sentence.new_command import new
from stela_sentence.trust_command import trust

sentence = Group("sentence", help="Write and detect marks of whole sentences.")
sentence.add_command(new)
sentence.add_command(generate)
sentence.add_command(detect)
sentence.add_command(trust)
