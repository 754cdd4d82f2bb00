"""Sections of a report, each a function of scores."""
