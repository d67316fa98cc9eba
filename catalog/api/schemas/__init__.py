"""The request and response schemas of the catalog's API. A response schema produces the response, not only its docs.

base        `Out`, from which response schemas derive, and types of fields
problems    errors of a request or a spec
tools       a tool, its metadata and its deprecation
search      searches, toolkits and tags
uploads     uploads of many specs
revisions   revisions and their differences
exports     a tool in another format
lint        rules, findings, fixes and waivers
"""
