"""The evaluation in a dozen names, for scripts and notebooks. The command line uses the same."""
