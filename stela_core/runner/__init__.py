"""The runner: compare plugins on the same prompts."""
