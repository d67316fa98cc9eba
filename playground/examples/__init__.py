"""Examples of specs as tests: call the tool with each, and compare the response.

A run can be saved as an example.

calls               the sample call on a tool's page
checks, results     start a check of all examples; the result of each
save_as_example     a run as an example in the spec
models, views, api  the tables, the page, the operations
"""
