"""Ranking measures: gold units, what a list found of them, and the measures of the contract at a rank."""
