"""Experiments: gold and runs read, scored, compared, gated and reported."""
