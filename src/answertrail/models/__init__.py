"""Embedders, chat models, prices, and the built-in reader."""
