"""The playground's part of the JSON API.

runs.py            start, list, get and cancel runs; saved configurations
factories.py       list factories, look for new ones
repeats.py         repeat a run, compare two runs, save a run as an example, and statistics of a tool's runs
inputs.py          saved inputs
example_checks.py  check a tool's examples, and list the checks
access.py          the runs that a request may read, and the configuration that it names
schemas/           the schemas of requests and responses
router.py          the router of all operations
routers.py         the same router, once all operations are added to it
"""
