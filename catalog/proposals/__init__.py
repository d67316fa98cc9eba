"""Changes that wait for review: of sources, and of people who may propose but not publish.

actions       hold a change, approve it, reject it; `publish_or_hold` decides which
models        a held change, and who may see and decide it
views, api    the list of changes to review, and one of them
"""
