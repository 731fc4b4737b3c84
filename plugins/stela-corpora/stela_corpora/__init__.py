"""Human text and treebanks as STELA reads them."""

import logging

logging.getLogger(__name__).addHandler(logging.NullHandler())
