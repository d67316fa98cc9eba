"""The history of a tool: what each revision changed for callers, and how to restore one.

differences           the semantic diff of two stored revisions, cached
views, api, schemas   the list of changes, two revisions compared, restore
"""
