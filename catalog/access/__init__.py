"""Who may do what, and who sees which tools.

    rights    `may` and `require`: pages, the API, MCP and commands ask them
    models    toolkits with their owners and visibility; audiences: who sees a restricted tool

A tool or a proposal answers itself what a person may do to it (`hidden_from`, `answer`).
`catalog/tools/audiences.py` derives the audience of a tool; `visible_to` of its queryset applies
it.
"""
