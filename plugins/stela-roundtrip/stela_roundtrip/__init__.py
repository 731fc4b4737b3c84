"""Marked ids that come back from their text: ``wm.marker(round_trip=True)``. The core asks for it by name."""
