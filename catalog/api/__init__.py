"""The catalog's part of the JSON API.

search.py              search tools; list toolkits and tags
tools.py               publish, organise, deprecate and archive one tool
revisions.py           its revisions: texts, differences and exports
bulk.py                upload many specs, export the catalog, check a spec without storing it
lint.py                findings, fixes and waivers
similar.py             tools that are similar to another one
serializers.py         responses as JSON values
renderer.py            JSON values as text
schemas.py             the documented schemas of requests and responses
openapi_bodies.py      documentation of bodies and headers without a schema
openapi_examples.py    examples in the documentation
router.py              the router of all operations about tools
etags.py               conditional requests, URLs, documented errors
deprecation.py         headers of responses about deprecated tools
"""

from ninja import Router

from catalog.api import bulk, lint, revisions, search, similar, tools  # noqa: F401 - they add to their routers
from catalog.api.router import router

routers: list[Router] = [router, lint.router]
