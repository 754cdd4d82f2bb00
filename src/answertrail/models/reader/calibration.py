"""The numbers of the sufficiency rule, and where they come from (see docs/reader.md)."""

BIAS = -11.08
COEFFICIENTS = (4.33, 3.85, 4.22, -3.03)
"""In the order of the fields of `Signals`."""
THRESHOLD = 0.5
LEANING = 0.2
"""The threshold for how-did-it-change questions, which are answered piece by piece."""
