"""What a mark costs, off the writing model's own distributions: no second model, no noise of sampled text."""
