"""Fixtures for all tests: `settings` and `database` come from `store_fixtures`."""

import hypothesis

pytest_plugins = ["tests.store_fixtures", "tests.local_model"]

# Tests share the cores with each other and with the servers they start: no clock on the wall judges one.
hypothesis.settings.register_profile(
    "shared cores", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("shared cores")
