"""For all tests."""

from hypothesis import HealthCheck, settings

# How long an example takes says what else the machine does.
settings.register_profile("honte", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("honte")
