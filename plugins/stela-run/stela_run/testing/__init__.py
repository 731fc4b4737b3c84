"""For the tests of plugins."""
