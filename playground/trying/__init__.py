"""The page to try a tool: a form for its parameters, a configuration, a run and its result.

subject, chosen_configuration    the tool and its user; the saved configuration that they chose
trial, buttons                   what is filled in, in the form or as JSON; what its buttons do
prefill                          parameters of an example, a run, a saved input or a link
saved_inputs, input_links        inputs that people save; links that contain one
page, notices                    what the page shows beside the form
"""
