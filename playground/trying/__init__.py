"""The page to try a tool: a form for its parameters, a configuration, a run and its result.

page, trial_input    the state of one trial; what was typed, in the form or as JSON
prefill              open it with an example, a run, a saved input or a link
saved_inputs         inputs that people save; input_links: links that contain one
"""
