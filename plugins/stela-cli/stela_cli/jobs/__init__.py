"""Work that processes and clusters share."""
