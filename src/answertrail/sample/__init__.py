"""The sample channel that ships with the package."""
