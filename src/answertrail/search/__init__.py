"""Search modes over one corpus: dense, lexical, hybrid, fused. One interface, one module each."""
