"""The evaluation kit that ships with the program: small fixtures whose results are known.

`teaching/` holds authored rankings, made to explain how retrieval is scored; `experiment/` two
fictional corpora with the rankings that our own search gave, 56 of them.
"""
