"""From files to documents, segments, chunks and vectors; each stage takes what is not yet at it."""
