"""What a bias of each strength gains and costs after each kind of context, measured by a model."""
