"""The catalog's part of the JSON API.

search.py              search tools; list toolkits and tags
tools.py               publish, deprecate and archive one tool; change its metadata
revisions.py           its revisions: texts, differences and exports
access.py              who owns, maintains and sees tools and toolkits
code.py                source code that is generated from a spec
bulk.py                upload many specs, export the catalog, check a spec without storing it
lint.py                rules, findings, fixes and waivers
sources.py             sources, their syncs and held changes
stars.py               a person's starred tools
audit.py               events of the audit log
webhooks.py            webhooks and their deliveries
similar.py             tools that are similar to another one
schemas/               the schemas of requests and responses
renderer.py            JSON values as text, and how many fit into a page
openapi_bodies.py      documentation of bodies and headers without a schema; the spec that the examples use
router.py              the router of all operations about tools
routers.py             all routers, which the site includes
headers.py             conditional requests, and headers of responses about deprecated tools
"""
