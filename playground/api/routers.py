"""The router of the playground's operations, which the site's API includes."""

# isort: off
from playground.api import (  # noqa: F401 - they add to the router, in the order of the documentation
    runs,
    repeats,
    inputs,
    example_checks,
    real_calls,
    factories,
)

# isort: on
from playground.api.router import router

__all__ = ["router"]
