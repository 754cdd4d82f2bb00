"""Everything timed or scored on real data; run from a checkout, never shipped."""
