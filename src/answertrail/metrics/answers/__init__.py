"""What answers state, what was retrieved for them, and what they cite: measures of runs and verdicts."""
