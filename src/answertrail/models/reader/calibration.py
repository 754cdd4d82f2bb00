"""The numbers of the sufficiency rule, and where they come from (measured in docs/reader.md).

Fitted once by logistic regression (squared penalty 0.3 on all but the bias, classes weighted
equally) on 55 factual questions, 30 unanswerable ones, and 110 factual questions asked of a corpus
that is not about them (weight 0.3 each), over three transcript corpora. No signal depends on the
scale of an embedder's cosines, so there is one table for all of them.
"""

BIAS = -9.75
COEFFICIENTS = (3.62, 4.37, 3.18, -2.67)
"""In the order of the fields of `Signals`."""
THRESHOLD = 0.5
"""Support from which a question is answered."""
LEANING = 0.3
"""The threshold for how-did-it-change questions, which are answered piece by piece."""
