"""The numbers of the sufficiency rule, and where they come from (see docs/reader.md)."""

BIAS = -4.0
COEFFICIENTS = (4.0, 4.0, 1.0, -4.0)
"""In the order of the fields of `Signals`."""
THRESHOLD = 0.5
LEANING = 0.2
"""The threshold for how-did-it-change questions, which are answered piece by piece."""
