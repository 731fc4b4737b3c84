"""Speed as ratios to peers in one run, and the statistics of the null."""
