"""From an experiment file to its cells, with every mistake found before any work."""
