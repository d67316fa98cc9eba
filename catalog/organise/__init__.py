"""What people set for tools besides their specs: owner, visibility, toolkit, tags, deprecation.

metadata, access, lifecycle    the actions, for one tool or toolkit
organise_many                  the same for all tools that a search finds
forms, views, api              the settings of a tool and of a toolkit; many tools at a time
"""
