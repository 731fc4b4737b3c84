"""Learn a value table from a stream of observations: summed by context, in bounded memory."""
