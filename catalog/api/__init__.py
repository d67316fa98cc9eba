"""The catalog's part of the JSON API.

finding.py       searches, toolkits and tags
tools.py         one tool: publishing, organising, deprecating and archiving it
revisions.py     its revisions: texts, differences and exports
bulk.py          many specs at once, and specs that are not stored
lint.py          what could be better in a tool, fixes and waivers
similar.py       tools that are like another one
values.py        what is given, as JSON values;  text.py  as text
shapes.py        what is taken and given, as it is documented;  bodies.py  where no shape says it;  examples.py
routing.py       what these belong to
conditions.py    conditional requests, addresses, refusals;  deprecation.py  headers about deprecated tools
"""

from ninja import Router

from catalog.api import bulk, lint, revisions, search, similar, tools  # noqa: F401 - they add to their routers
from catalog.api.router import router

routers: list[Router] = [router, lint.router]
