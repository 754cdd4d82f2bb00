"""Frozen settings of the agent, as TOML files, and the prompts they name."""
