"""What the site does with lint, whose rules are in `catalog.lint`: it judges, reports, waives and mends.

judging.py         each revision once, when it is published or afterwards
reports.py         what could be better in a revision, as its page and the API tell it
check_reports.py   the same of files, as text, JSON and SARIF
waiving.py         what people decided to live with
mending.py         fixes, published as the next revision
score_trends.py    how the score went from revision to revision
tables.py          what is stored of it
views.py           the pages
"""
