"""The command ``stela``: its groups, options and printed lines, which commands of plugins share.

It reads texts from plain files and JSON lines, and shares work among processes. What reads other files, or
runs work elsewhere, is registered by the hooks of ``stela_cli.hookspecs``.
"""

import logging

logging.getLogger(__name__).addHandler(logging.NullHandler())
