"""Reading JSON Schemas: their drafts, their parts and what they say. Checking values is `catalog.json_schema.validation`'s.

    dialects.py              the drafts, with the keywords of each and its meta-schema
    shapes.py                what each keyword must look like
    map.py                   where each subschema stands, and where references lead
    modernising.py           a schema of any draft as one of 2020-12
    work.py                  how much work a schema asks for
    formats.py               the formats that are asserted
    patterns.py              regular expressions with the meaning of ECMA-262, in bounded time
    pattern_reading.py, pattern_translation.py    how these are made
    facts.py, docs.py        what a schema says, in words and as a tree

Nothing here knows Django.
"""
