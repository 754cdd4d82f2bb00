"""What a run retrieved and what of it it used: a trajectory of searches, which has no rank."""
