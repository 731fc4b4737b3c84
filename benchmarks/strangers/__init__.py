"""Files of strangers: bombs, mutations, and what reads them."""
