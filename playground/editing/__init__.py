"""The page that edits a spec and shows beside it what the draft means.

That is its form, documentation, impact, findings of lint, and a run.

spec_draft    a text while it is edited, and all that follows from it
views         the page, its parts, publishing
"""
