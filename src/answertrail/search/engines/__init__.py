"""Search engines: who holds the vectors and the words of a snapshot, behind one interface."""
