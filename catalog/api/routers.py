"""The routers of the catalog's operations, which the site's API includes."""

from ninja import Router

# isort: off
from catalog.api import (  # noqa: F401 - they add to their routers, in the order of the documentation
    search,
    tools,
    revisions,
    code,
    similar,
    bulk,
    access,
    stars,
    lint,
    sources,
    audit,
    webhooks,
)

# isort: on
from catalog.api.router import router

routers: list[Router] = [router, lint.router, sources.router, audit.router, webhooks.router]
