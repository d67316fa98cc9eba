"""Tools and the revisions of their specs: store them, look them up, show the page of one.

models, lint_models      tools, revisions, stars; assessments and waivers
publishing               store the next revision of a tool; origins: where it came from
indexing, audiences      columns and search index of a tool; who sees it
assessments              lint score and usable formats of a revision, computed once
lookup, page, views      a tool for a URL, what its page shows, the page
hooks                    what the playground tells the catalog: which tools run
"""
