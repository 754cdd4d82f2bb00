"""Embedders: on this machine, or behind an endpoint. Start at `load.load_embedder`."""
