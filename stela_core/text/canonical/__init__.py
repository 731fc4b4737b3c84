"""The canonical form of a text: docs/canonical-text.md defines it, :mod:`.text` puts its steps in order."""
