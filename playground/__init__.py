"""The playground: run tools, check each response against the spec, offer tools to agents.

A folder is a room: one feature with its models, actions, pages and operations. A room imports only
rooms below it, in the order of the contract `playground` in pyproject.toml. What Django looks for
by name stands beside the rooms: admin, api, apps, management, models, templatetags, urls.
"""
