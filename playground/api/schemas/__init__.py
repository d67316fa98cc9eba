"""The request and response schemas of the playground's API.

runs            runs, factories and saved configurations
repeats         repeated runs, compared runs, runs saved as examples, and statistics
example_checks  checks of a tool's examples
"""
