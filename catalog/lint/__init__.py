"""Lint in the catalog: findings of each tool, fixes that are published, and waivers.

page, reports, overview    what the pages and the API show
apply_fixes, waivers       correct a spec by fixes; accept a finding with a reason
`toolspec/lint/` has the rules.
"""
