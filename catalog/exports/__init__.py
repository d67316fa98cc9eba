"""A spec in other formats and as code: pages, operations, files.

`toolspec/exports/` and `toolspec/code/` make them.

    views, api, schemas    the formats of a tool
    generated_code         packages and projects that were generated, cached
    exported_tools         the lines of `export_catalog`: specs with what people set for them
    sdk_wheel              the package for authors, which generated projects install from the site
"""
