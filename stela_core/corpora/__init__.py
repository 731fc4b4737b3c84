"""Human text: files, treebanks and datasets, read in bounded memory."""
