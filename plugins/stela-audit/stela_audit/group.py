"""``stela audit``: what an outsider without the key can learn."""

from __future__ import annotations

from stela_cli.group import Group

from stela_audit.forge_command import forge
from stela_audit.presence_command import presence
from stela_audit.scrub_command import scrub_command

audit = Group("audit", help="Measure what an outsider without the key can learn about a deployment.")
audit.add_command(presence)
audit.add_command(forge)
audit.add_command(scrub_command)
