"""The routers of the catalog's operations, which the site's API includes."""

from ninja import Router

# isort: off
from catalog.search import api as search  # noqa: F401 - it adds to the router; in the order of the documentation
from catalog.tools import api as tools  # noqa: F401
from catalog.uploads import api as uploads  # noqa: F401
from catalog.revisions import api as revisions  # noqa: F401
from catalog.exports import api as exports  # noqa: F401
from catalog.organise import api as organise  # noqa: F401
from catalog.lint import api as lint
from catalog.sources import api as sources  # noqa: F401
from catalog.proposals import api as proposals  # noqa: F401
from catalog.webhooks import api as webhooks

# isort: on
from catalog.router import router, sources_router

routers: list[Router] = [router, lint.router, sources_router, webhooks.router]
