"""JSON and YAML text: what was written, where, and how to change it.

reader          strict JSON with exact numbers; yaml_reader: YAML that can be converted to JSON
syntax_errors   what is wrong with a text, and where
positions       the line and column of each value; pointers: JSON Pointers
patch           JSON Patch on values; text_patch: the same on text, which keeps its layout
numbers, containers, pretty
"""
