"""The list of tools: search, filters, facets, suggestions, similar tools, toolkits and tags.

catalog_search            one search, as its URL states it; matches, results: what it finds
facets, figures, groups   how many tools match each filter; the toolkits and tags that a person sees
similar, comparison       tools that are similar to one, and two of them side by side
`catalog/index/` reads the query, finds and ranks.
"""
