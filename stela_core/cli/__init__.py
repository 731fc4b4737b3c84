"""The ``stela`` command line, a small file per command."""
