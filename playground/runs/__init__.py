"""Runs: start, wait, cancel, repeat, check the response, store, delete.

actions, refusals            start a run, wait for it, cancel it; why it is refused
supervisor, celery/, tasks   to the runner of this process, or to worker machines
conclusion, writer           check and redact a response; store the end of a run
orphans, retention           end the runs of dead processes; delete old ones
mocks, visitors              responses without a tool; runs of people without an account
models, run_json, api        the table, a run as JSON, the operations; signals: for rooms above
"""
