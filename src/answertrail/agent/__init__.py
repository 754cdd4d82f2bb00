"""The agent: a small hand-written loop whose every citation is checked before anyone sees it."""
