"""Language models: find, load, run, prompt."""
