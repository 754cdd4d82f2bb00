"""Search modes over one corpus, from dense to timeline: one interface, one module each. Start at `modes`."""
