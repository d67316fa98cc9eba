"""The router of the playground's operations, which the site's API includes."""

# isort: off
from playground.runs import api as runs  # noqa: F401 - it adds to the router; in the order of the documentation
from playground.configurations import api as configurations  # noqa: F401
from playground.history import api as history  # noqa: F401
from playground.trying import api as inputs  # noqa: F401
from playground.examples import api as examples  # noqa: F401
from playground.real_calls import api as real_calls  # noqa: F401
from playground.factories import api as factories  # noqa: F401

# isort: on
from playground.router import router

__all__ = ["router"]
