"""Which node a question means: resolved, a list to choose from, or none."""
