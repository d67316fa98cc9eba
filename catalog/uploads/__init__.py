"""Uploads: one spec or a hundred thousand, as files, archives or lists of other formats.

form_parts.py      the parts of a form, bounded on their way in
gathering.py       the files that a command line names
unpacking.py       files taken apart into the texts of specs
candidates.py      what these become before they are stored
outcomes.py        storing them, each with its own outcome
jobs.py            large uploads, carried out beside the site's own work
working_ahead.py   a process that reads and checks what is stored next
tables.py          what is stored of large uploads
views.py           the pages
"""
