"""Tools and the revisions of their specs: store them, look them up, show the page of one.

`publishing.publish` stores a spec as the next revision; `indexing` and `audiences` derive the rest.
`views.tool_page` finds a tool by `lookup.tool_at` and shows what `page.ToolPage` documents.

    models, lint_models         tools, revisions, stars; assessments and waivers
    publishing, origins         store the next revision of a tool; where it came from
    indexing, audiences         columns and search index of a tool; who sees it
    assessments                 lint score and usable formats of a revision, computed once
    stars, events               mark a tool; tell webhooks about one
    lookup, headers             a tool for a URL; its entity tag and its deprecation
    page, views, api, schemas   what its page shows; the page; the API's operations
    hooks                       functions of the playground, such as which tools run
"""
