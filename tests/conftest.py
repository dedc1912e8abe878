"""What every test shares: properties are judged by what they find, not by how long a busy machine takes to draw examples."""

from hypothesis import HealthCheck, settings

from soaking import soaked

__all__ = ["soaked"]

settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
