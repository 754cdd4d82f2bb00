"""Chat models: the interface in `base`, and everything that implements it."""
