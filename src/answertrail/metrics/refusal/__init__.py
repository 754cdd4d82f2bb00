"""Unsupported questions: what was answered, what was declined, what that costs. Pure functions."""
