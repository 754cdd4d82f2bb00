"""Measures as pure functions. They import nothing of ours but the records."""
