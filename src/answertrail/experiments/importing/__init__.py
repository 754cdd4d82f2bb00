"""Read what other tools export into run/1, question/1 and retrieval_run/1."""
