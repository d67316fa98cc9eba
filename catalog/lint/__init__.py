"""Lint in the catalog: findings of each tool, fixes that are published, and waivers.

`toolspec/lint/` has the rules. `views.tool_lint` and `api.get_lint` make a `LintReport`.

    reports, page, overview          findings of a revision; the pages of a tool and of a rule
    apply_fixes                      publish or propose a spec with fixes
    waivers, forms                   accept a finding with a reason; the form for it
    lookup, views, api, schemas      a rule for a URL; the pages; the API's operations
"""
