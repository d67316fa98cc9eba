"""The pages of runs: one run, the list, two runs compared, the figures of a tool.

presenters, response_table, text_view      a response as JSON, as a table, as text
comparison, response_changes               two runs, and what differs
history, statistics, overview, charts      runs over time
"""
