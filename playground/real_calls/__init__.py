"""Recent real calls of a tool, checked against another revision or a draft of its spec.

checks         which of them would fail, and why
views, api     for a change in review, a revision, and a text that is not stored
"""
