"""What small causal taggers share: characters as code points, convolutions that look left only."""
