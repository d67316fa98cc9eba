"""The catalog: specs with all their revisions, how one finds, changes, checks and exports them.

A folder is a room: one feature with its models, actions, pages and operations. A room imports only
rooms below it, in the order of the contract `catalog` in pyproject.toml. What Django looks for by
name stands beside the rooms: admin, api, apps, management, models, templatetags, urls.
"""
