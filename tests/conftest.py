"""Fixtures for all tests: `settings` and `database` come from `store_fixtures`."""

pytest_plugins = ["tests.store_fixtures", "tests.local_model"]
