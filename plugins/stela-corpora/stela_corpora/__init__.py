"""Human text and treebanks as STELA reads them."""
